package io.nereid.engine.scheduling.policy.simulation;

import java.util.Optional;
import java.util.stream.LongStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares policies with their reference models. {@code -Dnereid.seeds=1000000} sets the number of
 * seeds of each scheduler, {@code -Dnereid.seed=42} selects one.
 */
class SimulationTest {
  private static final long SEEDS = Long.getLong("nereid.seeds", 1_000);

  private static LongStream seeds() {
    Long only = Long.getLong("nereid.seed");
    return only == null ? LongStream.range(0, SEEDS) : LongStream.of(only);
  }

  @ParameterizedTest
  @EnumSource
  void aPolicyTakesTheActionsOfItsReferenceModel(SimulatedScheduler scheduler) {
    Optional<String> failure =
        seeds().parallel().mapToObj(scheduler).flatMap(Optional::stream).findFirst();
    failure.ifPresent(Assertions::fail);
  }
}
