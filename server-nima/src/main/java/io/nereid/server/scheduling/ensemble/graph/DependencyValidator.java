package io.nereid.server.scheduling.ensemble.graph;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.EnsembleSettings.Step;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The check of an ensemble against the models that it is composed of: batch sizes, names, types,
 * shapes, and the flow of data behind decoupled models. The rules and their texts are those of
 * Triton's {@code ensemble_utils.cc}.
 */
public final class DependencyValidator {
  private final ModelConfig ensemble;
  private final Map<String, DeclaredTensor> tensors = new HashMap<>();

  private DependencyValidator(ModelConfig ensemble) {
    this.ensemble = ensemble;
  }

  /**
   * Checks an ensemble.
   *
   * @param composing the completed configuration of each step's model, in the order of the steps
   * @return whether the ensemble is decoupled, because one of its models is
   * @throws InferenceException INVALID_ARGUMENT, with the first error
   */
  public static boolean validate(
      ModelConfig ensemble, EnsembleSettings settings, List<ModelConfig> composing) {
    var validator = new DependencyValidator(ensemble);
    validator.declareOwnTensors();
    for (int k = 0; k < composing.size(); k++) {
      validator.checkStep(settings.steps().get(k), composing.get(k));
    }
    var graph = EnsembleGraph.of(ensemble, settings);
    return new DecoupledFlow(ensemble, graph, composing).isDecoupled();
  }

  private void declareOwnTensors() {
    for (TensorConfig input : ensemble.inputs()) {
      tensors.put(input.name(), declare(ensemble, input, input.reshape().orElse(input.dims())));
    }
    for (TensorConfig output : ensemble.outputs()) {
      tensors.putIfAbsent(
          output.name(), declare(ensemble, output, output.reshape().orElse(output.dims())));
    }
  }

  private void checkStep(Step step, ModelConfig model) {
    if (model.batches() && model.maxBatchSize() < ensemble.maxBatchSize()) {
      throw InferenceException.invalid(
          ("ensemble %s allows maximum batch size %d, but it contains model %s which only allows"
                  + " maximum batch size to be %d")
              .formatted(
                  ensemble.name(), ensemble.maxBatchSize(), model.name(), model.maxBatchSize()));
    }
    checkInputs(step, model);
    checkOutputs(step, model);
  }

  private void checkInputs(Step step, ModelConfig model) {
    new TreeMap<>(step.inputMap())
        .forEach((input, tensor) -> {
          if (model.input(input).isEmpty()) {
            throw invalid(
                "ensemble tensor %s is mapping to non-existing input %s in model %s"
                    .formatted(tensor, input, model.name()));
          }
        });
    for (TensorConfig input : model.inputs()) {
      String tensor = step.inputMap().get(input.name());
      if (tensor != null) {
        declare(tensor, declare(model, input, input.dims()));
      } else if (!input.optional()) {
        throw invalid(
            "input %s in model %s is not mapped to any ensemble tensors"
                .formatted(input.name(), model.name()));
      }
    }
  }

  private void checkOutputs(Step step, ModelConfig model) {
    new TreeMap<>(step.outputMap())
        .forEach((output, tensor) -> {
          TensorConfig declared =
              model
                  .output(output)
                  .orElseThrow(() ->
                      invalid(
                          "ensemble tensor %s is mapped from non-existing output %s in model %s"
                              .formatted(tensor, output, model.name())));
          declare(tensor, declare(model, declared, declared.dims()));
        });
  }

  private void declare(String tensor, DeclaredTensor declared) {
    DeclaredTensor first = tensors.putIfAbsent(tensor, declared);
    if (first != null) {
      first.requireAgreement(
          declared, "in ensemble %s, ensemble tensor %s: ".formatted(ensemble.name(), tensor));
    }
  }

  private static DeclaredTensor declare(ModelConfig model, TensorConfig tensor, Shape dims) {
    return DeclaredTensor.of(model.name(), tensor, dims, model.batches() && !tensor.shapeTensor());
  }

  private InferenceException invalid(String what) {
    return InferenceException.invalid("in ensemble %s, %s".formatted(ensemble.name(), what));
  }
}
