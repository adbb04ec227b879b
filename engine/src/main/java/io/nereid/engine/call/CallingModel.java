package io.nereid.engine.call;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.function.LongSupplier;

/**
 * What the calls of a model have in common.
 *
 * @param name the model's
 * @param clock of arrival times
 */
public record CallingModel(String name, CalledModels models, LongSupplier clock) {
  /** A model that calls no other. */
  public static CallingModel none(String name, LongSupplier clock) {
    return new CallingModel(
        name,
        (called, _) -> {
          throw undeclared(name, called);
        },
        clock);
  }

  /** The failure of a call of a model that is not declared. */
  public static InferenceException undeclared(String model, String called) {
    return InferenceException.invalid(
        "model '%s' calls model '%s', which its configuration does not name in parameter '%s'"
            .formatted(model, called, ModelConfig.CALLS));
  }
}
