package io.nereid.server.execution.ratelimit;

/**
 * How one instance comes by its turns. It rests until it is staged; it is granted its turn, with
 * all that it asks for; and it rests again when it gives the turn back, or has executed. From any
 * thread; never waits.
 */
public interface InstancePermit extends AutoCloseable {
  /**
   * By which the turns of all instances are shared out: of two that wait the one with the least
   * executions times this is first. 0 if nothing is shared out, and it is an instance's turn
   * whenever it is staged.
   */
  long priority();

  /** Waits in line for its turn. Without effect unless it rests. */
  void stage();

  /** Whether it is this instance's turn, and it holds what it asks for. */
  boolean isGranted();

  /**
   * Gives its turn back, which was for nothing, and rests.
   *
   * @throws IllegalStateException if it is not its turn
   */
  void giveBack();

  /**
   * It has executed: counts that, and gives back what it held.
   *
   * @param again whether to wait in line again, so that it has its chance before what it held goes
   *     to anybody behind it; else it rests
   * @throws IllegalStateException if it is not its turn
   */
  void release(boolean again);

  /** It is gone, and holds nothing, whatever it did. Once. */
  @Override
  void close();
}
