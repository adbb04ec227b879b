package io.nereid.engine.memory.region;

import io.nereid.error.InferenceException;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a GPU, which the backend that has opened it copies.
 *
 * @param opened owned
 */
record DeviceRegionMemory(SharedDeviceMemory opened) implements RegionMemory {
  private static final System.Logger LOG = System.getLogger(DeviceRegionMemory.class.getName());

  @Override
  public void read(MemorySegment target, long offset, String region) {
    if (target.byteSize() > 0) {
      try {
        opened.read(offset, target);
      } catch (InferenceException failed) {
        throw failed("read", region, failed);
      }
    }
  }

  @Override
  public void write(MemorySegment source, long offset, String region) {
    if (source.byteSize() > 0) {
      try {
        opened.write(offset, source);
      } catch (InferenceException failed) {
        throw failed("written", region, failed);
      }
    }
  }

  @Override
  public void close() {
    try {
      opened.close();
    } catch (Throwable bug) { // of the backend, in the thread of a request
      LOG.log(System.Logger.Level.ERROR, "memory of a GPU was not closed", bug);
    }
  }

  private static InferenceException failed(String what, String region, InferenceException cause) {
    return new InferenceException(
        cause.code(),
        "shared memory region '%s' can not be %s: %s".formatted(region, what, cause.getMessage()),
        cause);
  }
}
