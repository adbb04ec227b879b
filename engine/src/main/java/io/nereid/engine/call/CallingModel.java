package io.nereid.engine.call;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What the calls of a model have in common.
 *
 * @param name the model's
 * @param clock of arrival times
 */
public record CallingModel(String name, CalledModels models, LongSupplier clock) {
  /**
   * The failure of a call of a model that is not declared, which is a mistake of the caller.
   *
   * @param declared the models that its configuration names
   */
  public static InferenceException undeclared(
      String model, String called, Collection<String> declared) {
    return InferenceException.internal(
        "model '%s' calls model '%s', which its configuration does not name in parameter '%s': %s"
            .formatted(model, called, ModelConfig.CALLS, List.copyOf(declared)));
  }
}
