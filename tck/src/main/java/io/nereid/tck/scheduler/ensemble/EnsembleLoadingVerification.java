package io.nereid.tck.scheduler.ensemble;

import io.nereid.tck.Rule;
import io.nereid.tck.scheduler.GatedModel;
import java.util.List;

/** Ensembles: which fail to load, with which texts, and when they load. */
public abstract class EnsembleLoadingVerification extends EnsembleVerification {
  private void assertRefused(String config, String message, Object... names) {
    assertInvalid(() -> loadEnsemble(config)).hasMessageContaining(message, names);
  }

  @Rule("SCHED-46")
  void rejectsTensorsThatAreNotWrittenOrNotRead() {
    String a = loadOpen().name();

    assertRefused(
        TWO_OUTPUTS + steps(step(a, "IN0", "OUT0")),
        "ensemble output 'OUT1' for ensemble %s' is not used",
        ensemble);
    assertRefused(
        FIXED
            + "input { name: \"IN1\" data_type: TYPE_FP32 dims: [ 16 ] }\n"
            + steps(step(a, "IN0", "OUT0")),
        "ensemble input 'IN1' for ensemble %s' is not used",
        ensemble);
    assertRefused(
        steps(step(a, "IN0", "OUT0"), step(a, "IN0", "unread")),
        "ensemble tensor 'unread' is unused in ensemble '%s'",
        ensemble);
    assertRefused(
        steps(step(a, "IN0", "OUT0"), step(a, "IN0", "OUT0")),
        "ensemble tensor 'OUT0' can appear in an output map only once for ensemble '%s' step 1",
        ensemble);
  }

  @Rule("SCHED-46")
  void rejectsModelsThatDoNotExistAndItself() {
    assertRefused(
        steps(step("unknown", "IN0", "OUT0")),
        "ensemble %s contains models that are not available or ambiguous: unknown",
        ensemble);
    assertRefused(
        steps(step(ensemble, "IN0", "OUT0")),
        "circular dependency between ensembles: %1$s -> ... -> %1$s -> %1$s",
        ensemble);
  }

  @Rule("SCHED-46")
  void rejectsNamesTypesShapesAndBatchSizesThatItsModelsDoNotHave() {
    String small = load(4, "").name();
    String fixed = loadOpen().name();
    String ints = load(8, FIXED.replace("FP32", "INT32")).name();
    String longer = load(8, FIXED.replace("16", "17")).name();

    assertRefused(
        steps(step(small, "IN0", "OUT0")),
        "ensemble %s allows maximum batch size 8, but it contains model %s which only allows"
            + " maximum",
        ensemble,
        small);
    assertRefused(
        steps(step(fixed, "\"IN9\" value: \"IN0\"", "OUT0", "OUT0")),
        "in ensemble %s, ensemble tensor IN0 is mapping to non-existing input IN9 in model %s",
        ensemble,
        fixed);
    assertRefused(
        steps(step(fixed, "\"IN0\" value: \"IN0\"", "OUT9", "OUT0")),
        "in ensemble %s, ensemble tensor OUT0 is mapped from non-existing output OUT9 in model %s",
        ensemble,
        fixed);
    assertRefused(
        steps(step(ints, "IN0", "OUT0")),
        "in ensemble %s, ensemble tensor IN0: inconsistent data type: TYPE_FP32 is inferred from",
        ensemble);
    assertRefused(
        steps(step(fixed, "IN0", "x"), step(longer, "x", "OUT0")),
        ("in ensemble %s, ensemble tensor x: inconsistent shape: [-1,16] is inferred from model %s"
            + " while [-1,17] is inferred from model %s"),
        ensemble,
        fixed,
        longer);
  }

  @Rule("SCHED-46")
  void rejectsAStepWhoseInputsComeFromDifferentDecoupledModels() {
    String decoupled = load(8, DECOUPLED).name();
    String join =
        load(8, FIXED + "input { name: \"IN1\" data_type: TYPE_FP32 dims: [ 16 ] }\n").name();

    assertRefused(
        steps(
            step(decoupled, "IN0", "x"),
            """
            step {
              model_name: "%s"
              model_version: -1
              input_map { key: "IN0" value: "x" }
              input_map { key: "IN1" value: "IN0" }
              output_map { key: "OUT0" value: "OUT0" }
            }
            """
                .formatted(join)),
        "receives inputs originated from different decoupled models");
  }

  @Rule("SCHED-46")
  void loadsOnceItsModelsDo() {
    String late = freshName();
    String config = steps(step(late, "IN0", "OUT0"));
    assertRefused(config, "contains models that are not available or ambiguous: " + late);

    load(late, 8, "").gate().openAll();
    GatedModel loaded = loadEnsemble(config);

    loaded.assertEchoed(List.of(loaded.submit("r1")));
  }
}
