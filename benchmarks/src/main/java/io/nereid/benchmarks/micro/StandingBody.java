package io.nereid.benchmarks.micro;

import io.nereid.server.memory.Lease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A request's body that is there to be read again and again: giving it back does nothing.
 *
 * @param segment placed as the transport places it: what follows the JSON is aligned
 */
record StandingBody(MemorySegment segment) implements Lease {
  private static final int ALIGNMENT = 64;

  /**
   * @param jsonSize of the bytes, those that are JSON
   */
  static StandingBody of(byte[] body, int jsonSize, Arena arena) {
    int padding = -jsonSize & ALIGNMENT - 1;
    MemorySegment memory = arena.allocate(padding + body.length, ALIGNMENT).asSlice(padding);
    MemorySegment.copy(MemorySegment.ofArray(body), 0, memory, 0, body.length);
    return new StandingBody(memory);
  }

  @Override
  public void close() {}
}
