package io.nereid.engine.model.lint;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.text.Names;
import io.nereid.engine.model.loading.CallOrder;
import io.nereid.engine.scheduling.ensemble.graph.DependencyProblem;
import io.nereid.engine.scheduling.ensemble.graph.DependencyValidator;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelEnsembling.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks ensembles against the models that they are composed of.
 *
 * @param models all models of a repository, by name
 */
record CallerLint(Map<String, LintedModel> models) {
  private static final FieldPath PATH = FieldPath.of("ensemble_scheduling");

  private static final FieldPath CALLS = FieldPath.of("parameters");

  void check() {
    Map<ModelId, List<ModelId>> calls = new TreeMap<>();
    List<ModelId> ensembles = new ArrayList<>();
    for (LintedModel model : models.values()) {
      if (!model.calls().isEmpty()) {
        calls.put(id(model.name()), model.calls().stream().map(CallerLint::id).toList());
      }
      if (model.isEnsemble()) {
        ensembles.add(id(model.name()));
      }
    }
    var order = new CallOrder(calls, ensembles);
    for (ModelId id : order.callers()) { // each after those that it calls
      LintedModel caller = models.get(id.name());
      if (caller != null && isNotCircular(caller, order)) {
        if (caller.isEnsemble()) {
          checkEnsemble(caller);
        } else {
          checkCalls(caller);
        }
      }
    }
  }

  private static boolean isNotCircular(LintedModel caller, CallOrder order) {
    try {
      order.requireNotCircular(id(caller.name()));
      return true;
    } catch (InferenceException circular) {
      caller.findings().error(caller.isEnsemble() ? PATH.field("step") : CALLS, circular);
      return false;
    }
  }

  private void checkCalls(LintedModel caller) {
    boolean isSound = !caller.findings().hasErrors(); // else it does not load in any case
    for (String name : caller.calls()) {
      LintedModel called = models.get(name);
      if (called == null || (isSound && called.findings().hasErrors())) {
        String problem = called == null ? "is not available" + nearest(name) : "has errors";
        caller.error(CALLS, "model '%s' calls model '%s', which %s", caller.name(), name, problem);
      }
    }
  }

  private String nearest(String name) {
    return Names.question(name, new TreeSet<>(models.keySet()));
  }

  private static ModelId id(String name) {
    return new ModelId("", name);
  }

  private void checkEnsemble(LintedModel ensemble) {
    boolean sound = !ensemble.findings().hasErrors();
    List<Step> steps =
        ensemble.config().map(config -> config.getEnsembleScheduling().getStepList()).orElseThrow();
    List<Optional<ModelConfig>> composing = new ArrayList<>();
    for (int k = 0; k < steps.size(); k++) {
      composing.add(composing(ensemble, PATH.element("step", k), steps.get(k)));
    }
    if (sound) {
      checkTensors(ensemble, composing);
    }
  }

  /** The configuration of a step's model, if it has no errors. */
  private Optional<ModelConfig> composing(LintedModel ensemble, FieldPath path, Step step) {
    String name = step.getModelName();
    LintedModel model = models.get(name);
    if (model == null && !name.isEmpty()) {
      ensemble.error(
          path.field("model_name"),
          "ensemble %s contains models that are not available or ambiguous: %s%s",
          ensemble.name(),
          name,
          nearest(name));
    }
    if (model == null) {
      return Optional.empty();
    }
    if (model.findings().hasErrors()) {
      ensemble.error(
          path.field("model_name"),
          "ensemble '%s' depends on '%s' which has errors",
          ensemble.name(),
          name);
      return Optional.empty();
    }
    if (step.getModelVersion() > 0 && !model.versions().contains(step.getModelVersion())) {
      ensemble.error(
          path.field("model_version"),
          "ensemble '%s' depends on '%s' whose required version %d is not loaded.",
          ensemble.name(),
          name,
          step.getModelVersion());
    }
    return model.config().map(ModelConfigRecords::record);
  }

  private static void checkTensors(LintedModel ensemble, List<Optional<ModelConfig>> composing) {
    ModelConfig config = ModelConfigRecords.record(ensemble.config().orElseThrow());
    if (!(config.scheduling() instanceof EnsembleSettings graph)) {
      throw new IllegalStateException("'%s' is no ensemble".formatted(ensemble.name()));
    }
    for (DependencyProblem problem : DependencyValidator.problems(config, graph, composing)) {
      ensemble.findings().error(path(problem), problem.message());
    }
  }

  private static FieldPath path(DependencyProblem problem) {
    if (problem.step() < 0) {
      return FieldPath.of("output");
    }
    FieldPath step = PATH.element("step", problem.step());
    return switch (problem.place()) {
      case MODEL -> step.field("model_name");
      case INPUT -> map(step, "input_map", problem.name());
      case OUTPUT -> map(step, "output_map", problem.name());
    };
  }

  private static FieldPath map(FieldPath step, String map, String name) {
    return name.isEmpty() ? step.field(map) : step.entry(map, name);
  }
}
