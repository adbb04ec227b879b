package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.ModelLoads.Copy;
import io.nereid.engine.model.control.lifecycle.ModelLoads.Point;
import io.nereid.error.InferenceException;
import io.nereid.tck.scheduler.TestResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much of a model is loaded again, by what has changed in its directory. */
class ReloadScopeTest extends LifecycleTests {
  private static String policy(String policy) {
    return config("version_policy { " + policy + " }");
  }

  private Copy only() {
    assertThat(loads("m").copies()).hasSize(1);
    return loads("m").copies().getFirst();
  }

  @Test
  void instancesAreAddedToTheLoadedModel() {
    repository.model("m", 1);
    load("m");
    execute("m", "before");
    TestResponse first = submitHeld("m", "first");
    TestResponse second = submit("m", "second");
    repository.model("m", config(3, ""));

    load("m"); // does not wait for the execution

    gate("m").awaitBegun(3); // the request that waited has an instance
    assertThat(only().openInstances()).isEqualTo(3);
    assertThat(only().openedInstances()).isEqualTo(3);
    gate("m").openAll();
    assertThat(first.await().failure()).isEmpty();
    assertThat(second.await().failure()).isEmpty();
    awaitSuccesses("m", 1, 3);
    assertThat(registry.ready().getFirst().configMessage().getInstanceGroup(0).getCount())
        .isEqualTo(3);
  }

  @Test
  void instancesAreRemovedFromTheLoadedModelAfterTheirRequests() {
    repository.model("m", config(2, ""), 1);
    load("m");
    TestResponse first = submitHeld("m", "first");
    TestResponse second = submitHeld("m", "second");
    repository.model("m", config(1, ""));

    load("m");

    TestResponse third = submit("m", "third");
    assertThat(only().openInstances()).isEqualTo(2);
    gate("m").openAll();
    for (TestResponse response : List.of(first, second, third)) {
      assertThat(response.await().failure()).isEmpty();
    }
    assertThat(only().openedInstances()).isEqualTo(2);
    assertThat(index()).containsExactly("m 1 READY");
    assertThat(only().executed()).containsExactlyInAnyOrder("first", "second", "third");
  }

  @Test
  void theInstancesStayIfOneCannotBeAdded() {
    repository.model("m", 1);
    load("m");
    execute("m", "before");
    repository.model("m", config(2, ""));
    loads("m").fail(Point.OPEN, 1, InferenceException.unavailable("no memory"));

    assertThat(loadFailure("m"))
        .hasMessage(
            "load failed for model 'm': version 1 is at UNAVAILABLE state: Unavailable: no"
                + " memory;\n");

    assertThat(index()).containsExactly("m 1 READY");
    assertThat(only().openInstances()).isEqualTo(1);
    execute("m", "after");
    awaitSuccesses("m", 1, 2);
    assertThat(registry.ready().getFirst().configMessage().getInstanceGroup(0).getCount())
        .isEqualTo(1);
    loads("m").succeed(Point.OPEN, 1);
    load("m");
    assertThat(only().openInstances()).isEqualTo(2);
  }

  @Test
  void theInstancesOfAllVersionsChangeOrOfNone() {
    String all = "version_policy { all {} }";
    repository.model("m", config(1, all), 1, 2);
    load("m");
    repository.model("m", config(2, all));
    loads("m").fail(Point.OPEN, 2, InferenceException.unavailable("no memory"));

    assertThat(loadFailure("m")).hasMessageContaining("version 2 is at UNAVAILABLE state");

    assertThat(index()).containsExactly("m 1 READY", "m 2 READY");
    submitHeld("m", "two");
    TestResponse one = submit("m", 1, "one");
    TestResponse another = submit("m", 1, "another");
    gate("m").awaitBegun(2);
    gate("m").openAll();
    one.await();
    another.await();
    assertThat(gate("m").executions().stream().map(execution -> execution.instance()).distinct())
        .as("version 1 has one instance again, as version 2 has")
        .hasSize(1);
  }

  @Test
  void aCountOfZeroMeansTheDefault() {
    repository.model("m", 1);
    load("m");
    repository.model("m", config(0, ""));

    load("m");

    assertThat(only().openedInstances()).isEqualTo(1);
  }

  @Test
  void versionsThatEnterThePolicyAreLoadedAndThoseThatLeaveItUnloaded() {
    repository.model("m", policy("specific { versions: [ 1, 2 ] }"), 1, 2, 3);
    load("m");
    execute("m", "r");
    repository.model("m", policy("specific { versions: [ 2, 3 ] }"));

    load("m");

    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY", "m 3 READY");
    assertThat(loads("m").copies()).extracting(Copy::version).containsExactlyInAnyOrder(1L, 2L, 3L);
    awaitSuccesses("m", 2, 1);
  }

  @Test
  void aVersionThatLeavesThePolicyServesUntilTheNewOneIsReady() {
    repository.model("m", policy("specific { versions: 1 }"), 1, 2);
    load("m");
    repository.model("m", policy("specific { versions: 2 }"));
    loads("m").hold(Point.LOAD, 2);

    Operation load = Operation.start(() -> load("m"));
    loads("m").awaitHeld(Point.LOAD, 2);

    assertThat(index()).containsExactly("m 1 READY", "m 2 LOADING");
    execute("m", "r");
    loads("m").release(Point.LOAD, 2);
    load.join();
    awaitIndex("m 1 UNAVAILABLE unloaded", "m 2 READY");
  }

  @Test
  void theNewestVersionsServeUnderALatestPolicy() {
    repository.model("m", policy("latest { num_versions: 2 }"), 1, 3, 7);
    load("m");
    assertThat(index()).containsExactly("m 3 READY", "m 7 READY");
    repository.version("m", 5);
    load("m");
    awaitIndex("m 3 UNAVAILABLE unloaded", "m 5 READY", "m 7 READY");

    repository.delete("m/7");
    load("m");

    awaitIndex("m 3 READY", "m 5 READY", "m 7 UNAVAILABLE unloaded");
    execute("m", "r");
    assertThat(loads("m").executor("r").version()).isEqualTo(5);
    assertThat(loads("m").copies(5)).hasSize(1);
  }

  @Test
  void aChangedVersionIsLoadedAgainAndTheOthersStay() {
    repository.model("m", policy("all {}"), 1, 2);
    load("m");
    execute("m", "r");
    submit("m", 1, "s");
    gate("m").open(1);
    gate("m").awaitEnded(2);
    repository.touch("m/2/model.bin");

    load("m");

    assertThat(loads("m").copies(1)).hasSize(1);
    assertThat(loads("m").copies(2)).hasSize(2);
    awaitSuccesses("m", 2, 0);
    awaitSuccesses("m", 1, 1);
  }

  @Test
  void theStatisticsOfAModelThatIsLoadedAgainBeginAtZero() {
    repository.model("m", 1);
    load("m");
    execute("m", "r");
    awaitSuccesses("m", 1, 1);
    repository.touch("m/1/model.bin");

    load("m");

    awaitSuccesses("m", 1, 0);
    assertThat(loads("m").copies()).hasSize(2);
  }

  @Test
  void anOlderFileIsAChangedFile() {
    repository.model("m", 1);
    load("m");
    repository.age("m/1/model.bin");

    load("m");

    assertThat(loads("m").copies()).hasSize(2);
  }

  @Test
  void aConfigurationThatIsWrittenAgainWithoutAChangeChangesNothing() {
    repository.model("m", config("parameters { key: 'a' value { string_value: 'b' } }"), 1);
    load("m");
    execute("m", "r");
    repository.model("m", config("parameters { key: \"a\" value { string_value: \"b\" } }"));

    load("m");

    assertThat(only().openedInstances()).isEqualTo(1);
    awaitSuccesses("m", 1, 1);
  }

  @Test
  void anotherFieldOfTheConfigurationMeansAFullReload() {
    repository.model("m", policy("all {}"), 1, 2);
    load("m");
    repository.model("m", config("version_policy { all {} } dynamic_batching {}"));

    load("m");

    assertThat(loads("m").copies(1)).hasSize(2);
    assertThat(loads("m").copies(2)).hasSize(2);
    loads("m").awaitClosed(loads("m").copies().getFirst());
  }

  @ParameterizedTest
  @ValueSource(strings = {"labels.txt", "warmup/sample", "initial_state/state", "notes/today.txt"})
  void anotherFileOfTheModelMeansAFullReload(String file) {
    repository.model("m", policy("all {}"), 1, 2);
    load("m");

    repository.write("m/" + file, "text");
    load("m");
    assertThat(loads("m").copies()).hasSize(4);

    repository.touch("m/" + file);
    load("m");
    assertThat(loads("m").copies()).hasSize(6);

    repository.delete("m/" + file);
    load("m");
    assertThat(loads("m").copies()).hasSize(8);
  }

  @Test
  void aHiddenFileChangesNothing() {
    repository.model("m", 1);
    load("m");
    repository.write("m/.2/model.bin", "half of it");

    load("m");

    only();
    assertThat(index()).containsExactly("m 1 READY");
  }

  @Test
  void aReloadWithInstancesAndFilesChangesBoth() {
    repository.model("m", config(1, "version_policy { all {} }"), 1, 2);
    load("m");
    repository.model("m", config(2, "version_policy { all {} }"));
    repository.touch("m/2/model.bin");

    load("m");

    assertThat(loads("m").copies(1)).hasSize(1).allMatch(copy -> copy.openInstances() == 2);
    assertThat(loads("m").copies(2)).hasSize(2);
    assertThat(loads("m").copies(2).getLast().openInstances()).isEqualTo(2);
  }

  @Test
  void aFailedVersionKeepsTheInstancesOfTheOthers() {
    repository.model("m", config(1, "version_policy { all {} }"), 1);
    load("m");
    repository.model("m", config(2, "version_policy { all {} }"), 2);
    loads("m").fail(Point.LOAD, 2, InferenceException.invalid("no"));

    loadFailure("m");

    assertThat(loads("m").copies(1)).hasSize(1).allMatch(copy -> copy.openedInstances() == 1);
  }
}
