package io.nereid.tck.scheduler;

import io.nereid.error.InferenceException;

/**
 * A server without its front ends: it loads models, with the schedulers that their configurations
 * ask for, and finds the backend {@code gate} on the class path of the test. Used by one thread.
 */
public interface SchedulerUnderTest extends AutoCloseable {
  /**
   * Loads version 1 of a model, as if {@code configPbtxt} were its {@code config.pbtxt}.
   *
   * @param configPbtxt names the model
   * @throws InferenceException why it cannot be loaded
   */
  SchedulerModel load(String configPbtxt);

  /** The time of all schedulers. */
  VirtualClock clock();

  /**
   * Returns once nothing moves any more without the clock, a request or a gate: every batch that a
   * scheduler has decided on has arrived at its model's gate, and every answer that was given has
   * been delivered.
   */
  void settle();

  /** Unloads all models; fails if memory that was lent for requests has not been given back. */
  @Override
  void close();
}
