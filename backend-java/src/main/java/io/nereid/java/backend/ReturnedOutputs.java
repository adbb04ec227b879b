package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.java.Response;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether outputs that a model returns are declared, as outputs or as those of its states. The
 * server asks only for these, so that another one would be missing in the response without a word.
 */
final class ReturnedOutputs {
  private final String model;
  private final List<String> names;

  ReturnedOutputs(ModelConfig config) {
    model = config.name();
    names =
        Stream.concat(
                config.outputs().stream().map(TensorConfig::name),
                config.sequence().map(SequenceSettings::states).stream()
                    .flatMap(List::stream)
                    .map(SequenceSettings.State::outputName))
            .toList();
  }

  /** Why a response fails: the model's own reason, or an output that is not declared. */
  Optional<InferenceException> failure(Response response) {
    if (response.failure().isPresent()) {
      return response.failure();
    }
    for (Tensor output : response.outputs()) {
      if (!names.contains(output.name())) {
        return Optional.of(
            InferenceException.internal(
                "model '%s': its outputs are %s, but it has returned '%s'"
                    .formatted(model, names, output.name())));
      }
    }
    return Optional.empty();
  }
}
