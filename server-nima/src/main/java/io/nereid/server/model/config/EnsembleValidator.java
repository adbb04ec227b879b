package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigNormalizer.ENSEMBLE;
import static io.nereid.server.model.config.ModelConfigValidator.require;

import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelEnsembling.Step;
import io.nereid.server.protobuf.ModelInput;
import io.nereid.server.protobuf.ModelOutput;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules for {@code ensemble_scheduling} that need no other model. Tensors have the names of the
 * ensemble, the values of the maps. A tensor is connected if it is an input of the ensemble or an
 * output of a step whose inputs are all connected.
 */
final class EnsembleValidator {
  private final ModelConfig config;
  private final String model;
  private final List<Step> steps;
  private final Map<String, Step> producers = new HashMap<>();
  private final Set<String> consumed = new HashSet<>();

  private EnsembleValidator(ModelConfig config) {
    this.config = config;
    this.model = config.getName();
    this.steps = config.getEnsembleScheduling().getStepList();
  }

  static void validate(ModelConfig config) {
    var validator = new EnsembleValidator(config);
    validator.checkFields();
    validator.collectTensors();
    validator.checkGraph();
  }

  private void checkFields() {
    require(
        config.getPlatform().equals(ENSEMBLE),
        "ensemble scheduling cannot be set for model '%s' whose platform is not ensemble",
        model);
    require(
        config.getInstanceGroupCount() == 0,
        "instance group should not be specified for ensemble '%s'",
        model);
    require(
        !config.hasOptimization(), "optimization should not be specified for ensemble '%s'", model);
    require(
        config.getModelWarmupCount() == 0,
        "model_warmup can not be specified for ensemble '%s'",
        model);
    require(!steps.isEmpty(), "must specify 'step' for ensemble '%s'", model);
  }

  private void collectTensors() {
    for (int k = 0; k < steps.size(); k++) {
      Step step = steps.get(k);
      requireField(!step.getModelName().isEmpty(), "model_name", k);
      requireField(step.getInputMapCount() > 0, "input_map", k);
      requireField(step.getOutputMapCount() > 0, "output_map", k);
      consumed.addAll(step.getInputMapMap().values());
      for (String tensor : step.getOutputMapMap().values()) {
        require(
            producers.put(tensor, step) == null,
            "ensemble tensor '%s' can appear in an output map only once for ensemble '%s' step %d",
            tensor,
            model,
            k);
      }
    }
  }

  private void requireField(boolean present, String field, int step) {
    require(present, "must specify '%s' in step %d of ensemble '%s'", field, step, model);
  }

  private void checkGraph() {
    var inputs = config.getInputList().stream().map(ModelInput::getName).toList();
    var outputs = config.getOutputList().stream().map(ModelOutput::getName).toList();
    for (String input : inputs) {
      require(
          consumed.contains(input),
          "ensemble input '%s' for ensemble %s' is not used",
          input,
          model);
    }
    for (String output : outputs) {
      require(
          producers.containsKey(output) || consumed.contains(output),
          "ensemble output '%s' for ensemble %s' is not used",
          output,
          model);
    }
    Set<String> connected = connected(inputs);
    for (String output : outputs) {
      require(
          connected.contains(output),
          "output '%s' for ensemble '%s' is not written%s",
          output,
          model,
          missingFor(output, connected));
    }
    var tensors = new TreeSet<>(consumed);
    tensors.addAll(producers.keySet());
    for (String tensor : tensors) {
      boolean written = producers.containsKey(tensor) || inputs.contains(tensor);
      boolean read = consumed.contains(tensor) || outputs.contains(tensor);
      require(written && read, "ensemble tensor '%s' is unused in ensemble '%s'", tensor, model);
    }
  }

  private Set<String> connected(List<String> inputs) {
    var connected = new HashSet<>(inputs);
    boolean grown = true;
    while (grown) {
      grown = false;
      for (Step step : steps) {
        if (connected.containsAll(step.getInputMapMap().values())) {
          grown |= connected.addAll(step.getOutputMapMap().values());
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
