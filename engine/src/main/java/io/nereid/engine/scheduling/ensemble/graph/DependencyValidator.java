package io.nereid.engine.scheduling.ensemble.graph;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.EnsembleSettings.Step;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.scheduling.ensemble.graph.DependencyProblem.Place;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The check of an ensemble against the models that it is composed of: batch sizes, names, types,
 * shapes, and the flow of data behind decoupled models. The rules and their texts are those of
 * Triton's {@code ensemble_utils.cc}.
 */
public final class DependencyValidator {
  private final ModelConfig ensemble;
  private final Map<String, DeclaredTensor> tensors = new HashMap<>();
  private final List<DependencyProblem> problems = new ArrayList<>();

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
    List<DependencyProblem> problems =
        problems(ensemble, settings, composing.stream().map(Optional::of).toList());
    if (!problems.isEmpty()) {
      throw InferenceException.invalid(problems.getFirst().message());
    }
    return flow(ensemble, settings, composing).isDecoupled();
  }

  private static DecoupledFlow flow(
      ModelConfig ensemble, EnsembleSettings settings, List<ModelConfig> composing) {
    return new DecoupledFlow(ensemble, EnsembleGraph.of(ensemble, settings), composing);
  }

  /**
   * Finds all problems of an ensemble.
   *
   * @param composing like those of {@link #validate}; empty for a model that is not known, which is
   *     then not checked
   */
  public static List<DependencyProblem> problems(
      ModelConfig ensemble, EnsembleSettings settings, List<Optional<ModelConfig>> composing) {
    List<DependencyProblem> problems = new DependencyValidator(ensemble).check(settings, composing);
    List<ModelConfig> known = composing.stream().flatMap(Optional::stream).toList();
    return problems.isEmpty() && known.size() == composing.size()
        ? flow(ensemble, settings, known).problem().stream().toList()
        : problems;
  }

  private List<DependencyProblem> check(
      EnsembleSettings settings, List<Optional<ModelConfig>> composing) {
    declareOwnTensors();
    for (int k = 0; k < composing.size(); k++) {
      if (composing.get(k).isPresent()) {
        checkStep(k, settings.steps().get(k), composing.get(k).get());
      }
    }
    return problems;
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

  private void checkStep(int k, Step step, ModelConfig model) {
    if (model.batches() && model.maxBatchSize() < ensemble.maxBatchSize()) {
      problems.add(
          new DependencyProblem(
              k,
              Place.MODEL,
              "",
              ("ensemble %s allows maximum batch size %d, but it contains model %s which only"
                      + " allows maximum batch size to be %d")
                  .formatted(
                      ensemble.name(),
                      ensemble.maxBatchSize(),
                      model.name(),
                      model.maxBatchSize())));
    }
    checkInputs(k, step, model);
    checkOutputs(k, step, model);
  }

  private void checkInputs(int k, Step step, ModelConfig model) {
    new TreeMap<>(step.inputMap())
        .forEach((input, tensor) -> {
          if (model.input(input).isEmpty()) {
            report(
                k,
                Place.INPUT,
                input,
                "ensemble tensor %s is mapping to non-existing input %s in model %s"
                    .formatted(tensor, input, model.name()));
          }
        });
    for (TensorConfig input : model.inputs()) {
      String tensor = step.inputMap().get(input.name());
      if (tensor != null) {
        declare(k, Place.INPUT, input.name(), tensor, declare(model, input, input.dims()));
      } else if (!input.optional()) {
        report(
            k,
            Place.INPUT,
            "",
            "input %s in model %s is not mapped to any ensemble tensors"
                .formatted(input.name(), model.name()));
      }
    }
  }

  private void checkOutputs(int k, Step step, ModelConfig model) {
    new TreeMap<>(step.outputMap())
        .forEach((output, tensor) -> {
          Optional<TensorConfig> declared = model.output(output);
          if (declared.isPresent()) {
            TensorConfig config = declared.get();
            declare(k, Place.OUTPUT, output, tensor, declare(model, config, config.dims()));
          } else {
            report(
                k,
                Place.OUTPUT,
                output,
                "ensemble tensor %s is mapped from non-existing output %s in model %s"
                    .formatted(tensor, output, model.name()));
          }
        });
  }

  private void declare(int step, Place place, String name, String tensor, DeclaredTensor declared) {
    DeclaredTensor first = tensors.putIfAbsent(tensor, declared);
    if (first != null) {
      first
          .disagreement(declared)
          .ifPresent(
              what -> report(step, place, name, "ensemble tensor %s: %s".formatted(tensor, what)));
    }
  }

  private static DeclaredTensor declare(ModelConfig model, TensorConfig tensor, Shape dims) {
    return DeclaredTensor.of(model.name(), tensor, dims, model.batches() && !tensor.shapeTensor());
  }

  private void report(int step, Place place, String name, String what) {
    problems.add(
        new DependencyProblem(
            step, place, name, "in ensemble %s, %s".formatted(ensemble.name(), what)));
  }
}
