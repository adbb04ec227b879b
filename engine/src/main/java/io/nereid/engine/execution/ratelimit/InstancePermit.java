package io.nereid.engine.execution.ratelimit;

/**
 * The permit of one instance to run, with the states of Triton's rate limiter: an instance is
 * <i>available</i> until it is staged; a <i>staged</i> instance waits for its resources; an
 * <i>allocated</i> instance holds them and may run, until it releases them and is available again.
 * Safe for use by any thread; no method waits.
 */
public interface InstancePermit extends AutoCloseable {
  /**
   * The factor of the instance's executions in its score. The staged instance with the least score
   * is allocated first. 0 if there is no limit, and each instance is allocated when it is staged.
   */
  long priority();

  /** Stages the instance if it is available; has no effect otherwise. */
  void stage();

  /** Whether the instance is allocated; always false without a limit. */
  boolean isAllocated();

  /**
   * Releases the resources of an instance that has not executed anything.
   *
   * @throws IllegalStateException if the instance is not allocated
   */
  void releaseUnused();

  /**
   * Counts an execution and releases the resources.
   *
   * @param stageAgain whether to stage the instance in the same step, so that it competes for the
   *     resources that it releases
   * @throws IllegalStateException if the instance is not allocated
   */
  void release(boolean stageAgain);

  /** Removes the instance and releases what it holds, in any state. Called once. */
  @Override
  void close();
}
