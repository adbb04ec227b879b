package io.nereid.tck.support;

import io.nereid.tck.backend.StandInModel;
import java.time.Duration;
import java.util.Map;

/**
 * How a backend is called.
 *
 * @param maxCall how long a call may take
 * @param opensOnce whether the backend can be opened only once in a process; it is opened by the
 *     first verification then, and not closed
 * @param calledModels what stands for the models that it calls, by name
 */
public record CallSettings(
    Duration maxCall, boolean opensOnce, Map<String, StandInModel> calledModels) {
  /** A minute for each call; a backend that can be opened again. */
  public static final CallSettings DEFAULT =
      new CallSettings(Duration.ofMinutes(1), false, Map.of());
}
