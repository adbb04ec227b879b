package io.nereid.tck.backend;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.foreign.MemorySegment;

/** A backend that opens memory of devices, in front of one that does not. */
public record OpensMemory(Backend backend) implements Backend {
  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    return backend.load(files, config);
  }

  @Override
  public SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
    return new SharedDeviceMemory() {
      @Override
      public void read(long offset, MemorySegment target) {}

      @Override
      public void write(long offset, MemorySegment source) {}

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {
    backend.close();
  }
}
