package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.error.InferenceException;
import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.scheduler.TestRequest;
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

/** Instances that share a resource, and come and go while their model serves. */
@Timeout(120)
class LimitedInstancesTest {
  private static final String CONFIG =
      """
      name: "m"
      backend: "gate"
      max_batch_size: 0
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      instance_group { name: "g" kind: KIND_CPU count: 2
        rate_limiter { resources { name: "R" count: 2 } } }
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

  private void load(ResourceLimit... limits) {
    loader = new LoaderUnderTest(repository, new ExecutionCountLimiter(List.of(limits)));
    model = (ModelUnderTest) loader.load(CONFIG);
  }

  /** Has the model run on instances that ask for so much each. */
  private void update(int... counts) {
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

  private void submit(String id) {
    model().submit(TestRequest.of(id, TestRequest.fp32("IN0", 1, 4)));
  }

  private List<String> running() {
    return gate.running().stream().map(Execution::ids).map(List::getFirst).toList();
  }

  @Test
  void oneMoreThatAsksForMoreLetsTheOthersRunOnWhileItWaitsToOpen() throws Exception {
    load();
    submit("a");
    submit("b");
    loader().settle();
    assertThat(running()).containsExactly("a");

    Thread updating = Thread.ofPlatform().start(() -> update(2, 2, 4));
    gate.awaitBegun(2); // there is twice as much now
    assertThat(running()).containsExactlyInAnyOrder("a", "b");
    assertThat(gate.instances()).hasSize(2);

    gate.openAll();
    updating.join();
    assertThat(gate.instances()).hasSize(3);
  }

  @Test
  void oneMoreThatAsksForTooMuchIsRefusedAndNothingChanges() {
    load(new ResourceLimit("R", 2, OptionalInt.empty()));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> update(2, 2, 3))
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
  void oneThatIsToGoWhileItWaitsTakesATurnToCloseAndTheOthersRunOn() {
    load();
    submit("a");
    submit("b");
    loader().settle();
    assertThat(running()).containsExactly("a");

    update(2);
    gate.open(1);
    gate.awaitBegun(2);

    assertThat(running()).containsExactly("b");
    assertThat(gate.executions().stream().map(Execution::instance)).containsOnly("g_0");
  }
}
