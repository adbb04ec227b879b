package io.nereid.server.scheduling.journal.replay;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.SchedulingPolicies;
import io.nereid.server.scheduling.journal.Entry;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import io.nereid.server.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.server.scheduling.journal.RecordedPolicy;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A scheduler's policy, built again and told what the recorded one was told. */
final class SchedulerReplay {
  private final SchedulingPolicy policy;
  private final ReplayedTickets tickets = new ReplayedTickets();
  private final RecordedAnswers answers = new RecordedAnswers();
  private @Nullable Decision noted;

  SchedulerReplay(SchedulerStarted started) {
    policy =
        new RecordedPolicy(
            started.scheduler(),
            started.ruled() ? answers : BatchingRule.ALL,
            rule ->
                SchedulingPolicies.of(
                    started.settings(), started.maxBatchSize(), started.capacity(), rule),
            decision -> noted = decision);
  }

  /** What the policy decides now, where it decided that before. */
  Decision again(Decision recorded) {
    long now = 0;
    answers.of(recorded);
    for (Entry entry : recorded.entries()) {
      switch (entry) {
        case Entry.At(long nanos) -> now = nanos;
        case Entry.RuleAnswer _ -> {} // given when the policy asks
        case Entry.Event event -> tell(event, now);
        case Entry.Action _ -> {} // the policy finds out for itself
      }
    }
    try {
      policy.decide(now, tickets);
    } catch (RuntimeException | Error bug) {
      tolerate(bug);
    }
    return Objects.requireNonNull(noted, "a policy that decided has noted it");
  }

  private void tell(Entry.Event event, long now) {
    try {
      switch (event) {
        case Entry.At _, Entry.RuleAnswer _ ->
            throw new IllegalStateException("nothing that a policy is told: " + event);
        case Entry.Arrived arrived -> policy.arrived(tickets.arrive(arrived), now, tickets);
        case Entry.Cancelled(long ticket) -> policy.cancelled(tickets.of(ticket), now, tickets);
        case Entry.Rescheduled rescheduled ->
            policy.rescheduled(tickets.reschedule(rescheduled), now, tickets);
        case Entry.Ready(int instance) -> policy.ready(instance, now, tickets);
        case Entry.Executed(int instance, long endNanos) -> {
          policy.executed(instance, endNanos, now, tickets);
          tickets.executed(instance);
        }
        case Entry.InstanceAdded(int instance, long priority) ->
            policy.instanceAdded(instance, priority, now, tickets);
        case Entry.InstanceRemoved(int instance) -> policy.instanceRemoved(instance, now, tickets);
        case Entry.Stopped() -> policy.stopped();
      }
    } catch (RuntimeException | Error bug) {
      tolerate(bug);
    }
  }

  /** A policy's failure is noted like a step, and compared like one. */
  private static void tolerate(Throwable bug) {
    if (bug instanceof VirtualMachineError ours) {
      throw ours;
    }
  }

  /** Stands for a model's rule, which is not there: answers as it did. */
  private static final class RecordedAnswers implements BatchingRule {
    private final Queue<Boolean> answers = new ArrayDeque<>();

    void of(Decision decision) {
      answers.clear();
      for (Entry entry : decision.entries()) {
        if (entry instanceof Entry.RuleAnswer(boolean joins)) {
          answers.add(joins);
        }
      }
    }

    @Override
    public void begin(Ticket first) {}

    @Override
    public boolean joins(Ticket next) {
      Boolean answer = answers.poll();
      return answer != null && answer; // a question that was not asked then is a difference anyway
    }
  }
}
