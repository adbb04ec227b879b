package io.nereid.engine.scheduling.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.model.loading.LoaderUnderTest;
import io.nereid.engine.scheduling.CachingTckTest;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.cache.CachingVerification;
import io.nereid.tck.scheduler.RaggedVerification;
import io.nereid.tck.scheduler.RateLimiterVerification;
import io.nereid.tck.scheduler.SchedulerFactory;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import io.nereid.tck.scheduler.WarmupVerification;
import io.nereid.tck.scheduler.ensemble.EnsembleFlowVerification;
import io.nereid.tck.scheduler.ensemble.EnsembleLoadingVerification;
import io.nereid.tck.scheduler.ensemble.EnsembleStepsVerification;
import io.nereid.tck.scheduler.sequence.DirectSequenceVerification;
import io.nereid.tck.scheduler.sequence.IterativeSequenceVerification;
import io.nereid.tck.scheduler.sequence.OldestSequenceVerification;
import io.nereid.tck.scheduler.sequence.SequenceEntryVerification;
import io.nereid.tck.scheduler.sequence.StateVerification;
import io.nereid.tck.support.Polling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The TCK's rules of sequences, ensembles, ragged batches, warm-ups, caching and rate limits see a
 * scheduler that has a fault.
 */
class PlantedSchedulerFaultsTest {
  /** How long a rule waits for what a scheduler with a fault never does. */
  private static final String WAIT_MILLIS = "1000";

  private static final ScopedValue<SchedulerFault> FAULT = ScopedValue.newInstance();

  /** The rules, each on a scheduler with the current fault. */
  static final class Rules {
    @TempDir private static Path repository = Path.of("");

    private static SchedulerUnderTest open(RateLimiter limiter) {
      return new FaultyScheduler(new LoaderUnderTest(repository, limiter), FAULT.get());
    }

    private static SchedulerUnderTest open(ResponseCache cache) {
      return new FaultyScheduler(new LoaderUnderTest(repository, cache), FAULT.get());
    }

    interface Faulty extends SchedulerFactory {
      @Override
      default SchedulerUnderTest openScheduler() {
        return open(RateLimiter.OFF);
      }
    }

    @Nested
    class Entry extends SequenceEntryVerification implements Faulty {}

    @Nested
    class Direct extends DirectSequenceVerification implements Faulty {}

    @Nested
    class Oldest extends OldestSequenceVerification implements Faulty {}

    @Nested
    class State extends StateVerification implements Faulty {}

    @Nested
    class Iterative extends IterativeSequenceVerification implements Faulty {}

    @Nested
    class EnsembleLoading extends EnsembleLoadingVerification implements Faulty {}

    @Nested
    class EnsembleSteps extends EnsembleStepsVerification implements Faulty {}

    @Nested
    class EnsembleFlow extends EnsembleFlowVerification implements Faulty {}

    @Nested
    class Ragged extends RaggedVerification implements Faulty {}

    @Nested
    class Warmup extends WarmupVerification implements Faulty {}

    @Nested
    class Caching extends CachingVerification {
      @Override
      protected SchedulerUnderTest openScheduler(int entries) {
        return open(CachingTckTest.cache(entries));
      }
    }

    @Nested
    class RateLimits extends RateLimiterVerification {
      @Override
      public SchedulerUnderTest openScheduler(Map<String, Integer> resources) {
        List<ResourceLimit> limits = new ArrayList<>();
        resources.forEach(
            (name, count) -> limits.add(new ResourceLimit(name, count, OptionalInt.empty())));
        return open(new ExecutionCountLimiter(limits));
      }
    }
  }

  private static RuleRun run(SchedulerFault fault) {
    return ScopedValue.where(FAULT, fault).call(() -> RuleRun.of(Rules.class, fault.rule()));
  }

  @TestFactory
  Stream<DynamicTest> theRuleSeesTheFault() {
    return SchedulerFault.all().stream()
        .map(fault -> dynamicTest(fault.rule() + " " + fault.sentence(), () -> requireSeen(fault)));
  }

  private static void requireSeen(SchedulerFault fault) {
    System.setProperty(Polling.WAIT_PROPERTY, WAIT_MILLIS);
    try {
      assertThat(run(fault).failures()).as(fault.sentence()).isNotEmpty();
    } finally {
      System.clearProperty(Polling.WAIT_PROPERTY);
    }
  }

  @Test
  void aSchedulerWithoutAFaultPasses() {
    RuleRun run = run(SchedulerFault.NONE);

    assertThat(run.failures()).isEmpty();
    assertThat(run.passed())
        .containsAll(SchedulerFault.all().stream().map(SchedulerFault::rule).toList());
  }
}
