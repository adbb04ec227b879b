package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What becomes of calls of an unload, of a stop and of those that ask for health and memory, if
 * they throw, return null or do not return.
 */
class BackendCloseCallsTest extends BackendCallsTests {
  static Stream<Arguments> unloadsThatEnd() {
    return calls(When.UNLOAD, Deed.THROWS, Deed.THROWS_ERROR);
  }

  static Stream<Arguments> unloadsThatHang() {
    return calls(When.UNLOAD, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("unloadsThatEnd")
  void aModelWhoseCloseThrowsIsUnloaded(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    var _ = plan(call, deed);

    unload(BAD);

    await(() -> index().contains("bad 1 UNAVAILABLE unloaded"), "the unload");
    assertNoOtherIsHarmed();
  }

  @ParameterizedTest
  @MethodSource("unloadsThatHang")
  void aModelThatDoesNotCloseCountsAsUnloadedInTime(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);
    unload(BAD);

    hold(
        plan,
        () -> {
          assertThat(index()).contains("bad 1 UNLOADING");
          assertNoOtherIsHarmed();
          clock.advance(LIMIT);
          await(() -> index().contains("bad 1 UNAVAILABLE unloaded"), "the unload");
          assertNoOtherIsHarmed();
        });
  }

  @ParameterizedTest
  @MethodSource("unloadsThatHang")
  void aCloseOfAllModelsDoesNotWaitForOneThatDoesNotClose(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);
    Operation close = Operation.start(manager::close);

    hold(
        plan,
        () -> {
          await(() -> loads("good").copies().getFirst().isClosedOnce(), "the close of the other");
          await(() -> index().contains("good 1 UNAVAILABLE unloaded"), "its end");
          clock.advance(Duration.ofSeconds(5));
          close.join();
        });
  }

  static Stream<Arguments> stops() {
    return calls(When.STOP, Deed.THROWS, Deed.THROWS_ERROR, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("stops")
  void theStopOfAServerGoesOn(SpiCall call, Deed deed) {
    var catalog =
        new BackendCatalog(
            new PluginSettings(directory.resolve("no-such-folder"), Map.of()),
            List.of(),
            /* maxStop= */ Duration.ofMillis(20));
    Plan plan = plan(call, deed);
    var _ = catalog.open(HostileBackend.NAME);

    catalog.cancelLoads();
    catalog.close();

    hold(plan, () -> {});
  }

  static List<Deed> memoryUsageDeeds() {
    return List.of(Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("memoryUsageDeeds")
  void theStatisticsOfAModelLackWhatItDoesNotTell(Deed deed) {
    repository.model(BAD, config(SpiCall.MEMORY_USAGE), 1);
    load(BAD);
    Plan plan = plan(SpiCall.MEMORY_USAGE, deed);

    assertThat(engine.statistics())
        .filteredOn(statistics -> statistics.model().name().equals(BAD))
        .singleElement()
        .extracting(StatisticsSnapshot::memoryUsage)
        .isEqualTo(List.of());

    hold(plan, this::assertNoOtherIsHarmed);
  }

  @Test
  void theStatisticsOfAModelHaveWhatItTold() {
    repository.model(BAD, config(SpiCall.MEMORY_USAGE), 1);
    load(BAD);
    await(() -> statistics(BAD, 1).memoryUsage().size() == 1, "the memory usage");
    Plan plan = plan(SpiCall.MEMORY_USAGE, Deed.DOES_NOT_RETURN);

    assertThat(statistics(BAD, 1).memoryUsage()).hasSize(1);

    hold(plan, () -> assertThat(statistics(BAD, 1).memoryUsage()).hasSize(1));
  }

  static List<Deed> healthDeeds() {
    return List.of(Deed.THROWS, Deed.THROWS_ERROR, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("healthDeeds")
  void aModelThatDoesNotTellItsHealthIsNotReady(Deed deed) {
    repository.model(BAD, config(SpiCall.HEALTHY), 1);
    load(BAD);
    await(() -> engine.isReady(BAD, OptionalLong.empty()), "the model");
    Plan plan = plan(SpiCall.HEALTHY, deed);
    boolean _ = engine.isReady(BAD, OptionalLong.empty());

    hold(
        plan,
        () -> {
          clock.advance(Duration.ofSeconds(1));
          assertThat(engine.isReady(BAD, OptionalLong.empty())).isFalse();
          assertThat(engine.isReady()).isFalse();
          assertNoOtherIsHarmed();
        });
    HostileBackend.plan(null);
    await(() -> engine.isReady(BAD, OptionalLong.empty()), "the model");
  }
}
