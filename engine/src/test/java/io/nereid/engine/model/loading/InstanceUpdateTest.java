package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.error.InferenceException;
import io.nereid.request.SequenceId;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Instances that are added and removed while a model serves, also if they share a resource. */
@Timeout(120)
class InstanceUpdateTest {
  private static final String CONFIG =
      """
      name: "m"
      backend: "gate"
      max_batch_size: 0
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      instance_group { name: "g" kind: KIND_CPU count: 1 }
      """;

  private static final String LIMITED =
      CONFIG.replace("count: 1", "count: 2 rate_limiter { resources { name: \"R\" count: 2 } }");

  private static final String SEQUENCES = CONFIG + "sequence_batching { direct {} }\n";

  private static final String WARMUP =
      """
      model_warmup { name: "s" batch_size: 1
        inputs { key: "IN0" value { data_type: TYPE_FP32 dims: 4 zero_data: true } } }
      """;

  @TempDir private Path repository;
  private @Nullable LoaderUnderTest loader;
  private @Nullable ModelUnderTest model;
  private final Gate gate = Gate.of("m");

  @AfterEach
  void close() {
    gate.tearDown();
    loader().close();
    Gate.forget("m");
  }

  private LoaderUnderTest loader() {
    return Objects.requireNonNull(loader);
  }

  private ModelUnderTest model() {
    return Objects.requireNonNull(model);
  }

  private void load(String config) {
    loader = new LoaderUnderTest(repository);
    model = (ModelUnderTest) loader.load(config);
  }

  private void loadLimited(ResourceLimit... limits) {
    loader = new LoaderUnderTest(repository, new ExecutionCountLimiter(List.of(limits)));
    model = (ModelUnderTest) loader.load(LIMITED);
  }

  private void update(String... names) {
    List<InstanceSettings> wanted = new ArrayList<>();
    for (String name : names) {
      wanted.add(new InstanceSettings(name, InstanceSettings.Kind.KIND_CPU, 0, List.of(), false));
    }
    model().update(wanted);
  }

  /** Updates to instances that require these amounts of the resource. */
  private void updateLimited(int... counts) {
    List<InstanceSettings> wanted = new ArrayList<>();
    for (int count : counts) {
      wanted.add(
          new InstanceSettings(
              "g_" + wanted.size(),
              InstanceSettings.Kind.KIND_CPU,
              0,
              List.of(),
              false,
              new RateLimiterSettings(List.of(new Resource("R", false, count)), 0)));
    }
    model().update(wanted);
  }

  private TestResponse submit(String id) {
    return model().submit(TestRequest.of(id, TestRequest.fp32("IN0", 1, 4)));
  }

  private TestResponse submit(String id, long sequence, boolean start, boolean end) {
    return model()
        .submit(
            TestRequest.of(id, TestRequest.fp32("IN0", 1, 4))
                .inSequence(new SequenceId.OfNumber(sequence), start, end));
  }

  private List<String> executed() {
    loader().settle();
    return gate.executions().stream().map(Execution::ids).map(List::getFirst).toList();
  }

  private List<String> running() {
    return gate.running().stream().map(Execution::ids).map(List::getFirst).toList();
  }

  @Test
  void anAddedInstanceExecutesWaitingRequests() {
    load(CONFIG);
    submit("a");
    submit("b");
    assertThat(executed()).containsExactly("a");

    update("g_0", "g_1");

    assertThat(executed()).containsExactly("a", "b");
    assertThat(gate.instances()).hasSize(2);
  }

  @Test
  void aRemovedInstanceFinishesItsRequestAndGetsNoOther() {
    load(CONFIG);
    update("g_0", "g_1");
    TestResponse first = submit("a");
    submit("b");
    assertThat(executed()).containsExactlyInAnyOrder("a", "b");

    update("g_0");
    submit("c");
    gate.open("g_1", 1);

    assertThat(executed()).hasSize(2);
    gate.open("g_0", 1);
    assertThat(executed()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(first.isDone()).isTrue();
  }

  @Test
  void aRemovedInstanceFinishesItsSequences() {
    load(SEQUENCES);
    update("g_0", "g_1");
    gate.open(100);
    submit("a0", 1, true, false);
    submit("b0", 2, true, false);
    assertThat(executed()).containsExactlyInAnyOrder("a0", "b0");

    update("g_0");
    submit("c0", 3, true, false); // no slot is free
    submit("b1", 2, false, false);
    assertThat(executed()).containsExactlyInAnyOrder("a0", "b0", "b1");

    submit("b2", 2, false, true);
    assertThat(executed()).endsWith("b2");
    submit("a1", 1, false, true);
    assertThat(executed()).endsWith("a1", "c0");
  }

  @Test
  void anInstanceWithTheSameSettingsStaysOpen() {
    load(CONFIG);
    update("other_name");
    submit("a");
    assertThat(executed()).containsExactly("a");
    assertThat(gate.instances()).hasSize(1);
  }

  @Test
  void theOtherInstancesExecuteWhileAnAddedOneWaitsForItsResources() throws Exception {
    loadLimited();
    submit("a");
    submit("b");
    loader().settle();
    assertThat(running()).containsExactly("a");

    Thread updating = Thread.ofPlatform().start(() -> updateLimited(2, 2, 4));
    gate.awaitBegun(2); // the amount has doubled
    assertThat(running()).containsExactlyInAnyOrder("a", "b");
    assertThat(gate.instances()).hasSize(2);

    gate.openAll();
    updating.join();
    assertThat(gate.instances()).hasSize(3);
  }

  @Test
  void anUpdateThatExceedsALimitIsRejectedAndChangesNothing() {
    loadLimited(new ResourceLimit("R", 2, OptionalInt.empty()));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> updateLimited(2, 2, 3))
        .withMessageContaining("\"R\" is limited to 2");

    assertThat(gate.instances()).hasSize(2);
    submit("a");
    submit("b");
    loader().settle();
    assertThat(running()).containsExactly("a");
    gate.openAll();
    loader().settle();
    assertThat(gate.executions()).hasSize(2);
  }

  @Test
  void aRemovedInstanceThatWaitsForResourcesClosesWhileTheOthersExecute() {
    loadLimited();
    submit("a");
    submit("b");
    loader().settle();
    assertThat(running()).containsExactly("a");

    updateLimited(2);
    gate.open(1);
    gate.awaitBegun(2);

    assertThat(running()).containsExactly("b");
    assertThat(gate.executions().stream().map(Execution::instance)).containsOnly("g_0");
  }

  @Test
  void anAddedInstanceIsWarmBeforeItServes() throws Exception {
    gate.open(1);
    load(CONFIG + WARMUP);
    Thread updating = Thread.ofPlatform().start(() -> update("g_0", "g_1"));
    gate.awaitBegun(2); // the warm-up of g_1
    submit("a");
    gate.awaitBegun(3);
    submit("b");
    assertThat(running()).containsExactlyInAnyOrder("", "a");

    gate.open("g_1", 1);
    updating.join();

    assertThat(executed()).containsExactly("", "", "a", "b");
    assertThat(running()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void anUpdateWhoseWarmupFailsChangesNothing() {
    gate.openAll();
    load(CONFIG + WARMUP);
    gate.reply("", Reply.failure(InferenceException.unavailable("not twice")));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> update("g_0", "g_1"))
        .withMessage("failed to run warmup sample 's': not twice; ");

    submit("a");
    submit("b");
    assertThat(executed()).containsExactly("", "", "a", "b");
    assertThat(gate.executions().subList(2, 4)).extracting(Execution::instance).containsOnly("g_0");
  }
}
