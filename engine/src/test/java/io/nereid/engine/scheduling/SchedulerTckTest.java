package io.nereid.engine.scheduling;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.model.loading.LoaderUnderTest;
import io.nereid.tck.scheduler.CancellationVerification;
import io.nereid.tck.scheduler.CountingVerification;
import io.nereid.tck.scheduler.DefaultSchedulerVerification;
import io.nereid.tck.scheduler.FormingVerification;
import io.nereid.tck.scheduler.MergingVerification;
import io.nereid.tck.scheduler.OrderingVerification;
import io.nereid.tck.scheduler.PriorityVerification;
import io.nereid.tck.scheduler.QueuePolicyVerification;
import io.nereid.tck.scheduler.RaggedVerification;
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
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The TCK's verifications of schedulers, without and with a rate limiter whose resources no model
 * needs. Each test also verifies that no lease is outstanding.
 */
@ParameterizedClass(name = "rate limited: {0}")
@ValueSource(booleans = {false, true})
class SchedulerTckTest {
  @TempDir private static Path repository;
  private static RateLimiter limiter = RateLimiter.OFF;

  @Parameter private boolean limited;

  @BeforeEach
  void chooseLimiter() {
    limiter = limited ? new ExecutionCountLimiter(List.of()) : RateLimiter.OFF;
  }

  private static SchedulerUnderTest open() {
    return new LoaderUnderTest(repository, limiter);
  }

  /** Has every verification use the same scheduler. */
  interface LoaderFactory extends SchedulerFactory {
    @Override
    default SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Default extends DefaultSchedulerVerification implements LoaderFactory {}

  @Nested
  class Forming extends FormingVerification implements LoaderFactory {}

  @Nested
  class Merging extends MergingVerification implements LoaderFactory {}

  @Nested
  class Ragged extends RaggedVerification implements LoaderFactory {}

  @Nested
  class Priority extends PriorityVerification implements LoaderFactory {}

  @Nested
  class QueuePolicy extends QueuePolicyVerification implements LoaderFactory {}

  @Nested
  class Ordering extends OrderingVerification implements LoaderFactory {}

  @Nested
  class Cancellation extends CancellationVerification implements LoaderFactory {}

  @Nested
  class EnsembleLoading extends EnsembleLoadingVerification implements LoaderFactory {}

  @Nested
  class EnsembleSteps extends EnsembleStepsVerification implements LoaderFactory {}

  @Nested
  class EnsembleFlow extends EnsembleFlowVerification implements LoaderFactory {}

  @Nested
  class Counting extends CountingVerification implements LoaderFactory {}

  @Nested
  class SequenceEntry extends SequenceEntryVerification implements LoaderFactory {}

  @Nested
  class DirectSequence extends DirectSequenceVerification implements LoaderFactory {}

  @Nested
  class OldestSequence extends OldestSequenceVerification implements LoaderFactory {}

  @Nested
  class State extends StateVerification implements LoaderFactory {}

  @Nested
  class IterativeSequence extends IterativeSequenceVerification implements LoaderFactory {}

  @Nested
  class Warmup extends WarmupVerification implements LoaderFactory {}
}
