package io.nereid.server.scheduling;

import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.model.LoaderUnderTest;
import io.nereid.tck.scheduler.CancellationVerification;
import io.nereid.tck.scheduler.CountingVerification;
import io.nereid.tck.scheduler.DefaultSchedulerVerification;
import io.nereid.tck.scheduler.DirectSequenceVerification;
import io.nereid.tck.scheduler.EnsembleFlowVerification;
import io.nereid.tck.scheduler.EnsembleLoadingVerification;
import io.nereid.tck.scheduler.EnsembleStepsVerification;
import io.nereid.tck.scheduler.FormingVerification;
import io.nereid.tck.scheduler.IterativeSequenceVerification;
import io.nereid.tck.scheduler.MergingVerification;
import io.nereid.tck.scheduler.OldestSequenceVerification;
import io.nereid.tck.scheduler.OrderingVerification;
import io.nereid.tck.scheduler.PriorityVerification;
import io.nereid.tck.scheduler.QueuePolicyVerification;
import io.nereid.tck.scheduler.RaggedVerification;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import io.nereid.tck.scheduler.SequenceEntryVerification;
import io.nereid.tck.scheduler.StateVerification;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The server's schedulers, held to the kit; each test must also give back all memory. With a rate
 * limiter, of which models ask for nothing, all is the same.
 */
@ParameterizedClass(name = "rate limited: {0}")
@ValueSource(booleans = {false, true})
class SchedulerTckTest {
  @Parameter private boolean limited;
  @TempDir private Path repository;

  private SchedulerUnderTest open() {
    return new LoaderUnderTest(
        repository, limited ? new ExecutionCountLimiter(List.of()) : RateLimiter.OFF);
  }

  @Nested
  class Default extends DefaultSchedulerVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Forming extends FormingVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Merging extends MergingVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Ragged extends RaggedVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Priority extends PriorityVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class QueuePolicy extends QueuePolicyVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Ordering extends OrderingVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Cancellation extends CancellationVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class EnsembleLoading extends EnsembleLoadingVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class EnsembleSteps extends EnsembleStepsVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class EnsembleFlow extends EnsembleFlowVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class Counting extends CountingVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class SequenceEntry extends SequenceEntryVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class DirectSequence extends DirectSequenceVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class OldestSequence extends OldestSequenceVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class State extends StateVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }

  @Nested
  class IterativeSequence extends IterativeSequenceVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return open();
    }
  }
}
