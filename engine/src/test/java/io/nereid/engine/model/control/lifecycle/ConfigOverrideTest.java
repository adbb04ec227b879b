package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Models that a client loads with a configuration of its own. */
class ConfigOverrideTest extends LifecycleTests {
  private static String json(String more) {
    return """
    {"backend": "lifecycle", "max_batch_size": 0,
     "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
     "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4]}],
     "instance_group": [{"name": "g", "kind": "KIND_CPU", "count": 1}]%s}
    """
        .formatted(more);
  }

  private static final String TAGGED = json(", \"metric_tags\": {\"tag\": \"client's\"}");

  private static String ensembleOf(String model) {
    return """
    {"platform": "ensemble", "max_batch_size": 0,
     "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
     "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4]}],
     "ensemble_scheduling": {"step": [{"model_name": "%s", "model_version": -1,
       "input_map": {"IN0": "IN0"}, "output_map": {"OUT0": "OUT0"}}]}}
    """
        .formatted(model);
  }

  private boolean isTagged() {
    return !registry.find("m", OptionalLong.empty()).configMessage().getMetricTagsMap().isEmpty();
  }

  @Test
  void aConfigurationReplacesThatOfTheFileInFull() {
    repository.model("m", config("parameters { key: 'k' value { string_value: 'v' } }"), 1);

    loadWith("m", TAGGED);

    assertThat(isTagged()).isTrue();
    assertThat(registry.find("m", OptionalLong.empty()).config().parameters()).isEmpty();
    execute("m", "r");
  }

  @Test
  void itStaysInForceUntilAFileChanges() {
    repository.model("m", 1);
    load("m");
    loadWith("m", TAGGED);
    assertThat(loads("m").copies()).hasSize(2);

    load("m");
    load("m");

    assertThat(isTagged()).isTrue();
    assertThat(loads("m").copies()).hasSize(2);
    repository.touch("m/config.pbtxt");
    load("m");
    assertThat(isTagged()).isFalse();
    assertThat(loads("m").copies()).hasSize(3);
  }

  @Test
  void itEndsWithTheModel() {
    repository.model("m", 1);
    loadWith("m", TAGGED);
    unload("m");

    load("m");

    assertThat(isTagged()).isFalse();
  }

  @Test
  void oneWithOtherInstancesOnlyChangesTheInstances() {
    repository.model("m", 1);
    load("m");

    loadWith("m", json("").replace("\"count\": 1", "\"count\": 3"));

    assertThat(loads("m").copies()).hasSize(1).allMatch(copy -> copy.openInstances() == 3);
    load("m");
    assertThat(loads("m").copies()).hasSize(1).allMatch(copy -> copy.openInstances() == 3);
    repository.touch("m/config.pbtxt");
    load("m");
    assertThat(loads("m").copies()).hasSize(1).allMatch(copy -> copy.openedInstances() == 3);
    await(() -> loads("m").copies().getFirst().openInstances() == 1, "two instances to close");
  }

  @Test
  void oneThatIsInvalidChangesNothing() {
    repository.model("m", 1);
    load("m");

    for (String invalid : new String[] {"{", "[]", "{\"max_batch_size\": -1}", "{\"no\": 1}"}) {
      var failure = failure(() -> loadWith("m", invalid));
      assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
      assertThat(failure)
          .hasMessageStartingWith("failed to load 'm', failed to poll from model repository");
    }

    assertThat(index()).containsExactly("m 1 READY");
    execute("m", "r");
    load("m");
    assertThat(loads("m").copies()).hasSize(1);
  }

  @Test
  void oneThatFailsToLoadIsForgotten() {
    repository.model("m", 1);
    load("m");
    loads("m").fail(Point.LOAD, 1, InferenceException.invalid("no"));
    assertThat(failure(() -> loadWith("m", TAGGED))).hasMessageStartingWith("load failed");
    loads("m").succeed(Point.LOAD, 1);

    load("m");

    assertThat(isTagged()).isFalse();
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void oneForAnUnknownModelIsRejected() {
    assertThat(failure(() -> loadWith("unknown", TAGGED)))
        .hasMessageStartingWith("failed to load 'unknown', failed to poll from model repository");
    assertThat(index()).isEmpty();
  }

  @Test
  void thatOfAnEnsembleStaysInForceWhenItsModelIsLoadedAgain() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a"), 1);
    load("e");
    loadWith("e", ensembleOf("b"));
    load("e");
    repository.touch("b/1/model.bin");

    load("b");

    submit("e", "after b");
    gate("b").awaitBegun(1);
    repository.touch("b/1/model.bin");
    load("e");
    submit("e", "after both");
    gate("b").awaitBegun(2);
    repository.touch("e/config.pbtxt");
    load("e");
    submit("e", "from the file");
    gate("a").awaitBegun(1);
  }

  @Test
  void thatOfAnEnsembleEndsWithTheEnsemble() {
    repository.model("a", 1).model("b", 1).model("e", ensemble("a"), 1);
    loadWith("e", ensembleOf("b"));
    unload("b");
    load("b"); // the ensemble comes back as it was
    submit("e", "again");
    gate("b").awaitBegun(1);

    unload("e");
    load("e");

    submit("e", "from the file");
    gate("a").awaitBegun(1);
  }

  @Test
  void aFailedOneOfAnEnsembleIsForgotten() {
    repository.model("a", 1).model("e", ensemble("a"), 1);
    load("e");
    assertThat(failure(() -> loadWith("e", ensembleOf("late")))).hasMessageContaining("late");
    repository.model("late", 1);
    load("late");
    repository.touch("a/1/model.bin");
    load("a");

    submit("e", "r");

    gate("a").awaitBegun(1);
  }
}
