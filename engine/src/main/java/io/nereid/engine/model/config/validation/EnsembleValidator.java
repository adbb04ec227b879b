package io.nereid.engine.model.config.validation;

import static io.nereid.engine.model.config.validation.ModelFormat.ENSEMBLE;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelEnsembling.Step;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules for {@code ensemble_scheduling} that need no other model. Tensors have the names of the
 * ensemble, the values of the maps. A tensor is connected if it is an input of the ensemble or an
 * output of a step whose inputs are all connected.
 */
final class EnsembleValidator extends ConfigRules {
  private static final FieldPath PATH = FieldPath.of("ensemble_scheduling");

  private final List<Step> steps;
  private final Map<String, Step> producers = new HashMap<>();

  /** Where the maps of the steps first name each tensor. */
  private final SortedMap<String, FieldPath> tensors = new TreeMap<>();

  private final Set<String> consumed = new HashSet<>();

  private EnsembleValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
    this.steps = config.getEnsembleScheduling().getStepList();
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new EnsembleValidator(config, problems);
    validator.checkFields();
    if (validator.collectTensors()) {
      validator.checkGraph();
    }
  }

  private void checkFields() {
    boolean isEnsemble = config.getPlatform().equals(ENSEMBLE);
    problems.require(
        isEnsemble,
        config.getPlatform().isEmpty() ? PATH : FieldPath.of("platform"),
        "ensemble scheduling cannot be set for model '%s' whose platform is not ensemble"
            .formatted(model));
    problems.require(
        config.getInstanceGroupCount() == 0,
        FieldPath.of("instance_group"),
        "instance group should not be specified for ensemble '%s'".formatted(model));
    problems.require(
        !isEnsemble || !config.hasOptimization(), // the server adds it to others
        FieldPath.of("optimization"),
        "optimization should not be specified for ensemble '%s'".formatted(model));
    problems.require(
        config.getModelWarmupCount() == 0,
        FieldPath.of("model_warmup"),
        "model_warmup can not be specified for ensemble '%s'".formatted(model));
    problems.require(
        !steps.isEmpty(),
        PATH.field("step"),
        "must specify 'step' for ensemble '%s'".formatted(model));
  }

  /** Returns whether the maps are good enough to follow the tensors through the steps. */
  private boolean collectTensors() {
    boolean good = !steps.isEmpty();
    for (int k = 0; k < steps.size(); k++) {
      Step step = steps.get(k);
      FieldPath path = PATH.element("step", k);
      requireField(!step.getModelName().isEmpty(), "model_name", k);
      good &= requireField(step.getInputMapCount() > 0, "input_map", k);
      good &= requireField(step.getOutputMapCount() > 0, "output_map", k);
      for (var input : step.getInputMapMap().entrySet()) {
        tensors.putIfAbsent(
            input.getValue(), path.entry("input_map", input.getKey()).field("value"));
        consumed.add(input.getValue());
      }
      for (var output : step.getOutputMapMap().entrySet()) {
        String tensor = output.getValue();
        FieldPath value = path.entry("output_map", output.getKey()).field("value");
        tensors.putIfAbsent(tensor, value);
        problems.require(
            producers.putIfAbsent(tensor, step) == null,
            value,
            "ensemble tensor '%s' can appear in an output map only once for ensemble '%s' step %d"
                .formatted(tensor, model, k));
      }
    }
    return good;
  }

  private boolean requireField(boolean present, String field, int step) {
    return problems.require(
        present,
        PATH.element("step", step).field(field),
        "must specify '%s' in step %d of ensemble '%s'".formatted(field, step, model));
  }

  private void checkGraph() {
    List<String> inputs = config.getInputList().stream().map(ModelInput::getName).toList();
    List<String> outputs = config.getOutputList().stream().map(ModelOutput::getName).toList();
    Set<String> external = new HashSet<>(inputs);
    Set<String> returned = new HashSet<>(outputs);
    for (int i = 0; i < inputs.size(); i++) {
      problems.require(
          consumed.contains(inputs.get(i)),
          FieldPath.of("input", i).field("name"),
          "ensemble input '%s' for ensemble %s' is not used".formatted(inputs.get(i), model));
    }
    for (int i = 0; i < outputs.size(); i++) {
      String output = outputs.get(i);
      problems.require(
          tensors.containsKey(output),
          FieldPath.of("output", i).field("name"),
          "ensemble output '%s' for ensemble %s' is not used".formatted(output, model));
    }
    Set<String> connected = connected(inputs);
    for (int i = 0; i < outputs.size(); i++) {
      String output = outputs.get(i);
      problems.require(
          connected.contains(output) || !tensors.containsKey(output),
          FieldPath.of("output", i).field("name"),
          "output '%s' for ensemble '%s' is not written%s"
              .formatted(output, model, missingFor(output, connected)));
    }
    tensors.forEach((tensor, path) -> {
      boolean written = producers.containsKey(tensor) || external.contains(tensor);
      boolean read = consumed.contains(tensor) || returned.contains(tensor);
      problems.require(
          written && read,
          path,
          "ensemble tensor '%s' is unused in ensemble '%s'".formatted(tensor, model));
    });
  }

  private Set<String> connected(List<String> inputs) {
    Map<String, List<Integer>> readers = new HashMap<>();
    var missing = new int[steps.size()];
    for (int k = 0; k < steps.size(); k++) {
      for (String tensor : new HashSet<>(steps.get(k).getInputMapMap().values())) {
        readers.computeIfAbsent(tensor, _ -> new ArrayList<>()).add(k);
        missing[k]++;
      }
    }
    Set<String> connected = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(inputs);
    while (!next.isEmpty()) {
      String tensor = next.remove();
      if (connected.add(tensor)) {
        for (int reader : readers.getOrDefault(tensor, List.of())) {
          missing[reader]--;
          if (missing[reader] == 0) {
            next.addAll(steps.get(reader).getOutputMapMap().values());
          }
        }
      }
    }
    return connected;
  }

  private String missingFor(String output, Set<String> connected) {
    Step producer = producers.get(output);
    if (producer == null) {
      return "";
    }
    return producer.getInputMapMap().values().stream()
        .filter(tensor -> !connected.contains(tensor))
        .sorted()
        .findFirst()
        .map(": at least one of its depending tensors, '%s', is not connected"::formatted)
        .orElse("");
  }
}
