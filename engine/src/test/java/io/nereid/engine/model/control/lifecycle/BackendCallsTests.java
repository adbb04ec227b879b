package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.engine.model.control.operation.LoadLimits;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A good model beside one of a backend that throws, returns null or does not return: other models,
 * probes and statistics do not notice.
 */
abstract class BackendCallsTests extends LifecycleTests {
  static final Duration LIMIT = Duration.ofSeconds(60);
  static final String BAD = "bad";

  /** The requests to the good model so far. */
  long successes;

  @Override
  protected ControlSettings control() {
    return new ControlSettings(
        ControlMode.EXPLICIT,
        List.of(),
        Duration.ZERO,
        Readiness.SERVING,
        false,
        new ControlSettings.Loads(2, new LoadLimits(LIMIT, LIMIT), 0),
        ConfigSettings.DEFAULT);
  }

  @BeforeEach
  void loadAGoodModel() {
    repository.model("good", 1).model("other", 1);
    load("good");
    gate("good").openAll();
  }

  @AfterEach
  @Override
  protected void close() {
    HostileBackend.plan(null);
    super.close();
  }

  /** The calls of that time, each with all that it can do. */
  static Stream<Arguments> calls(When when, Deed... deeds) {
    return Arrays.stream(SpiCall.values())
        .filter(call -> call.when() == when)
        .flatMap(
            call -> Arrays.stream(deeds).filter(call::can).map(deed -> Arguments.of(call, deed)));
  }

  /** The configuration of a model of the hostile backend, with instances as it counts them. */
  static String config(SpiCall call) {
    boolean isPipelined = call == SpiCall.DEPTH || call.when() == When.PIPELINE;
    boolean isBatching = call.when() == When.BATCHING;
    return """
    backend: "hostile"
    max_batch_size: %d
    %s
    %s
    %s
    """
        .formatted(
            isBatching ? 4 : 0,
            ControlledRepository.TENSORS,
            isBatching ? "dynamic_batching { max_queue_delay_microseconds: 1000 }" : "",
            isPipelined ? "parameters { key: \"pipelined\" value { string_value: \"\" } }" : "");
  }

  Plan plan(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    Plan plan = Plan.of(call, deed);
    HostileBackend.plan(plan);
    return plan;
  }

  /** A call that does not return, and what is seen while it does not. */
  static void hold(Plan plan, Runnable meanwhile) {
    try {
      assertThat(plan.reached().await(60, TimeUnit.SECONDS)).as("the call was made").isTrue();
      meanwhile.run();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    } finally {
      plan.gate().countDown();
    }
  }

  /** The other models serve, load and unload; probes and statistics have their answers. */
  void assertNoOtherIsHarmed() {
    assertThat(submit("good", "r").await().failure()).isEmpty();
    successes++;
    assertThat(engine.isLive()).isTrue();
    assertThat(engine.isReady("good", OptionalLong.empty())).isTrue();
    boolean _ = engine.isReady();
    assertThat(engine.statistics())
        .filteredOn(statistics -> statistics.model().name().equals("good"))
        .hasSize(1);
    await(() -> statistics("good", 1).requests().success().count() == successes, "the statistics");
    load("other");
    unload("other");
    await(() -> index().contains("other 1 UNAVAILABLE unloaded"), "the unload of another");
  }
}
