package io.nereid.engine.scheduling.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When decisions are recorded, and what one costs that is not. */
class RecordedPolicyTest {
  /** Wakes an instance that is ready, and remembers whom it told. */
  private static final class Waking implements SchedulingPolicy {
    @Nullable SchedulingActions told;
    boolean fails;

    @Override
    public void arrived(Ticket ticket, long now, SchedulingActions actions) {}

    @Override
    public void cancelled(Ticket ticket, long now, SchedulingActions actions) {}

    @Override
    public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {}

    @Override
    public void instanceRemoved(int instance, long now, SchedulingActions actions) {}

    @Override
    public boolean isRemoved(int instance) {
      return false;
    }

    @Override
    public void ready(int instance, long now, SchedulingActions actions) {
      told = actions;
      if (fails) {
        throw new IllegalStateException("a bug");
      }
      actions.wake(instance);
    }

    @Override
    public void executed(int instance, long endNanos, long now, SchedulingActions actions) {}

    @Override
    public void stopped() {}

    @Override
    public int waiting() {
      return 0;
    }

    @Override
    public long decide(long now, SchedulingActions actions) {
      return Ticket.NEVER;
    }
  }

  private static final SchedulingActions IGNORING =
      new SchedulingActions() {
        @Override
        public void wake(int instance) {}

        @Override
        public void idle(int instance) {}

        @Override
        public void dispatch(
            int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {}

        @Override
        public void reject(Ticket ticket, Rejection rejection) {}

        @Override
        public void refuse(Ticket ticket, PredictedWait wait) {}
      };

  private final Waking waking = new Waking();
  private final List<Decision> decisions = new ArrayList<>();
  private boolean isRecording;
  private final RecordedPolicy policy =
      new RecordedPolicy(7, BatchingRule.ALL, _ -> waking, () -> isRecording, decisions::add);

  @Test
  void aDecisionThatIsNotRecordedIsMadeByTheOtherPolicyAlone() {
    policy.ready(0, 1, IGNORING);
    policy.decide(1, IGNORING);

    assertThat(waking.told).isSameAs(IGNORING);
    assertThat(decisions).isEmpty();
  }

  @Test
  void nothingIsMadeForADecisionThatIsNotRecorded() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    decide(1, 1_000); // classes are loaded
    long before = threads.getCurrentThreadAllocatedBytes();
    decide(2, 10_000);

    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }

  private void decide(long from, int times) {
    for (long now = from; now < from + times; now++) {
      policy.ready(0, now, IGNORING);
      policy.cutShort(0, now, IGNORING);
      policy.executed(0, now, now, IGNORING);
      policy.decide(now, IGNORING);
    }
  }

  @Test
  void recordingBeginsAndEndsBetweenDecisions() {
    policy.ready(0, 1, IGNORING);
    isRecording = true;
    policy.ready(1, 1, IGNORING);
    policy.decide(1, IGNORING);
    assertThat(decisions).isEmpty();

    policy.ready(2, 2, IGNORING);
    isRecording = false;
    policy.decide(3, IGNORING);
    policy.ready(3, 4, IGNORING);
    policy.decide(4, IGNORING);

    assertThat(decisions)
        .containsExactly(
            new Decision(
                7,
                List.of(new Entry.At(2), new Entry.Ready(2), new Entry.Woken(2), new Entry.At(3)),
                Ticket.NEVER));
  }

  @Test
  void aFailureOfTheOtherPolicyIsRecordedAndPassedOn() {
    isRecording = true;
    waking.fails = true;

    assertThatIllegalStateException().isThrownBy(() -> policy.ready(0, 1, IGNORING));
    policy.decide(1, IGNORING);

    assertThat(decisions.getFirst().entries())
        .endsWith(new Entry.Failed("java.lang.IllegalStateException"));
  }
}
