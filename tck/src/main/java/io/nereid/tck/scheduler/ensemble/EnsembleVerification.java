package io.nereid.tck.scheduler.ensemble;

import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.SchedulerVerification;
import org.junit.jupiter.api.BeforeEach;

/** What tests of ensembles share: steps of a configuration, and a name for each test. */
public abstract class EnsembleVerification extends SchedulerVerification {
  static final String TWO_OUTPUTS =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT0" data_type: TYPE_FP32 dims: [ 16 ] }
      output { name: "OUT1" data_type: TYPE_FP32 dims: [ 16 ] }
      """;

  protected String ensemble;

  /** A step from {@code IN0} to {@code OUT0} of a model. */
  protected static String step(String model, String from, String to) {
    return step(model, "\"IN0\" value: \"%s\"".formatted(from), "OUT0", to);
  }

  static String step(String model, String input, String output, String to) {
    return """
    step {
      model_name: "%s"
      model_version: -1
      input_map { key: %s }
      output_map { key: "%s" value: "%s" }
    }
    """
        .formatted(model, input, output, to);
  }

  protected static String steps(String... steps) {
    return "ensemble_scheduling { %s }".formatted(String.join("", steps));
  }

  /** A model that no test holds: its gate is open. */
  protected GatedModel loadOpen() {
    GatedModel model = load(8, "");
    model.gate().openAll();
    return model;
  }

  @BeforeEach
  void nameTheEnsemble() {
    ensemble = freshName();
  }

  protected GatedModel loadEnsemble(String config) {
    return loadEnsemble(ensemble, 8, config);
  }
}
