package io.nereid.engine.call;

/**
 * The stack that a call of a model needs of the thread that makes it. A recursion of a model that
 * has used its stack up fails here, before the call has begun, and not within it, where a {@link
 * StackOverflowError} would leave it without an end.
 */
final class StackRoom {
  /** Each takes 60 bytes compiled, more interpreted, and 1 ns. */
  private static final int FRAMES = 256;

  private StackRoom() {}

  /**
   * Takes as much of the stack as a call may, and gives it back.
   *
   * @throws StackOverflowError if there is not as much
   */
  static void require() {
    if (take(FRAMES, 1) == 0) {
      throw new AssertionError("the sum of positive numbers");
    }
  }

  private static long take(int frames, long kept) {
    return frames == 0 ? kept : take(frames - 1, kept) + kept;
  }
}
