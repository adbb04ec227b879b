package io.nereid.engine.backend;

import io.nereid.error.InferenceException;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a client as the server copies it: what a backend throws is an {@link
 * InferenceException}. A copy that does not return holds up its own request.
 *
 * @param onClosed run once it is closed
 */
record GuardedDeviceMemory(SharedDeviceMemory memory, BackendCalls calls, Runnable onClosed)
    implements SharedDeviceMemory {
  @Override
  public void read(long offset, MemorySegment target) {
    try {
      memory.read(offset, target);
    } catch (InferenceException known) {
      throw known;
    } catch (Throwable thrown) { // also an Error: the copy is a part of a request
      throw calls.failed("", "SharedDeviceMemory.read", thrown);
    }
  }

  @Override
  public void write(long offset, MemorySegment source) {
    try {
      memory.write(offset, source);
    } catch (InferenceException known) {
      throw known;
    } catch (Throwable thrown) { // also an Error: the copy is a part of a request
      throw calls.failed("", "SharedDeviceMemory.write", thrown);
    }
  }

  @Override
  public void close() {
    try {
      calls.run("", "SharedDeviceMemory.close", memory::close);
    } finally {
      onClosed.run();
    }
  }
}
