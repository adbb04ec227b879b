package io.nereid.tck.scheduler;

import io.nereid.error.InferenceException;
import java.time.Duration;
import java.util.Map;

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
  default SchedulerModel load(String configPbtxt) {
    return load(configPbtxt, Map.of());
  }

  /**
   * Loads version 1 of a model whose directory has other files.
   *
   * @param configPbtxt names the model
   * @param files content by path, relative to the model's directory
   * @throws InferenceException why it cannot be loaded
   */
  SchedulerModel load(String configPbtxt, Map<String, byte[]> files);

  /**
   * Advances the time of all schedulers. When this returns, every decision that is due by then has
   * been made, each at its own time.
   */
  void advance(Duration time);

  /**
   * Waits until the scheduler has settled: every dispatched batch has reached its model's gate, and
   * every response has been delivered, so that nothing changes without the clock, a request or a
   * gate.
   */
  void settle();

  /** Unloads all models; fails if leases of requests are outstanding. */
  @Override
  void close();
}
