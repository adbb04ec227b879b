package io.nereid.engine.scheduling.ensemble.graph;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep.Mapping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The steps of an ensemble and the tensors between them, which are numbered. A value.
 *
 * @param models the models of the steps, each version once
 * @param tensors the numbers of the ensemble's tensors, by name
 * @param producers by tensor: the step that writes it, or {@link #NO_STEP} for an input
 */
public record EnsembleGraph(
    List<ModelReference> models,
    List<EnsembleStep> steps,
    Map<String, Integer> tensors,
    List<Integer> producers) {
  /** The producer of the ensemble's inputs. */
  static final int NO_STEP = -1;

  /**
   * A model that steps name.
   *
   * @param version empty for the newest that is ready
   */
  public record ModelReference(String name, OptionalLong version) {}

  public EnsembleGraph {
    models = List.copyOf(models);
    steps = List.copyOf(steps);
    tensors = Map.copyOf(tensors);
    producers = List.copyOf(producers);
  }

  /**
   * The graph that an ensemble's configuration describes.
   *
   * @param config checked: each tensor is written once
   */
  public static EnsembleGraph of(ModelConfig config, EnsembleSettings settings) {
    Map<String, Integer> tensors = number(config, settings);
    var models = new ArrayList<ModelReference>();
    var steps = new ArrayList<EnsembleStep>();
    var producers = new Integer[tensors.size()];
    Arrays.fill(producers, NO_STEP);
    for (EnsembleSettings.Step step : settings.steps()) {
      var model = new ModelReference(step.modelName(), step.modelVersion());
      if (!models.contains(model)) {
        models.add(model);
      }
      List<Mapping> inputs = mappings(step.inputMap(), tensors);
      List<Mapping> outputs = mappings(step.outputMap(), tensors);
      outputs.forEach(output -> producers[output.tensor()] = steps.size());
      steps.add(EnsembleStep.of(steps.size(), models.indexOf(model), inputs, outputs));
    }
    return new EnsembleGraph(models, steps, tensors, List.of(producers));
  }

  private static Map<String, Integer> number(ModelConfig config, EnsembleSettings settings) {
    var names = new ArrayList<String>();
    config.inputs().stream().map(TensorConfig::name).forEach(names::add);
    config.outputs().stream().map(TensorConfig::name).forEach(names::add);
    for (EnsembleSettings.Step step : settings.steps()) {
      names.addAll(new TreeMap<>(step.inputMap()).values());
      names.addAll(new TreeMap<>(step.outputMap()).values());
    }
    var numbers = new HashMap<String, Integer>();
    for (String name : names) {
      numbers.putIfAbsent(name, numbers.size());
    }
    return numbers;
  }

  private static List<Mapping> mappings(Map<String, String> map, Map<String, Integer> tensors) {
    return new TreeMap<>(map)
        .entrySet().stream()
            .map(entry ->
                new Mapping(entry.getKey(), tensors.getOrDefault(entry.getValue(), NO_STEP)))
            .toList();
  }

  public int tensor(String name) {
    Integer number = tensors.get(name);
    if (number == null) {
      throw new IllegalArgumentException("no tensor '%s' in %s".formatted(name, tensors.keySet()));
    }
    return number;
  }

  public EnsemblePlan plan(Collection<String> outputs) {
    return EnsemblePlan.of(this, outputs.stream().map(this::tensor).toList());
  }
}
