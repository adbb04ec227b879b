package io.nereid.server.execution;

import io.nereid.server.execution.sequence.SequencePlace;

/** Who hands batches to instances, and is told when they can take the next one. */
public interface ExecutionListener {
  /**
   * Whether requests wait for an instance; asked where instances take turns. From any thread; true
   * for a moment only.
   */
  boolean hasWaiting();

  /** An instance that was called can take a batch. By the instance's thread. */
  void ready(int instance);

  /**
   * An instance has executed what it was given, and every request of it has its outcome or was
   * {@link #rescheduled}. By the instance's thread, which goes on with whatever {@link
   * InstanceGroup#run} gives it meanwhile.
   *
   * @param endNanos when the model had ended, on the clock by which requests arrive
   */
  void executed(int instance, long endNanos);

  /**
   * A request that an instance has executed is to run again: it has not ended, and is the
   * listener's again. By the instance's thread, before {@link #executed}.
   */
  void rescheduled(SequencePlace request);
}
