package io.nereid.benchmarks.micro;

import io.nereid.engine.memory.Lease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The body of a request that can be read repeatedly: closing the lease has no effect.
 *
 * @param segment the body, with the bytes after the JSON aligned as the transport aligns them
 */
record ReusableBody(MemorySegment segment) implements Lease {
  private static final int ALIGNMENT = 64;

  /**
   * @param jsonSize size of the JSON at the start of the body
   */
  static ReusableBody of(byte[] body, int jsonSize, Arena arena) {
    int padding = -jsonSize & ALIGNMENT - 1;
    MemorySegment memory = arena.allocate(padding + body.length, ALIGNMENT).asSlice(padding);
    MemorySegment.copy(MemorySegment.ofArray(body), 0, memory, 0, body.length);
    return new ReusableBody(memory);
  }

  @Override
  public void close() {}
}
