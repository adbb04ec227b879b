package io.nereid.engine.execution;

import io.nereid.engine.request.PendingRequest;

/** The receiver of the events of instances: their scheduler. */
public interface ExecutionListener {
  /**
   * Whether requests wait for an instance, as a snapshot; called if there is a rate limiter. From
   * any thread.
   */
  boolean hasWaiting();

  /**
   * Reports that an instance is ready for a batch: it was woken, or it can start one while it
   * executes others. Called by the instance's thread.
   */
  void ready(int instance);

  /**
   * Reports that the batch that is reported next as executed was cancelled or has failed before its
   * end. Called by the instance's thread.
   */
  void cutShort(int instance);

  /**
   * Reports that a batch was executed, and that the instance is ready for the next one: every
   * request of it has ended or was {@link #rescheduled}. Called by the instance's thread, which
   * then executes what was dispatched during the call.
   *
   * @param endNanos the end of the model's computation, on the clock of arrival times
   */
  void executed(int instance, long endNanos);

  /**
   * Reports that a batch was executed as {@link #executed} does, by an instance that is not ready,
   * or has reported so before.
   */
  void finished(int instance, long endNanos);

  /**
   * Returns a request that is to run again, with its ownership. Called by the instance's thread,
   * before {@link #executed}.
   */
  void rescheduled(PendingRequest request);
}
