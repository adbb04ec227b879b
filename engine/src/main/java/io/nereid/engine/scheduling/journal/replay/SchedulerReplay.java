package io.nereid.engine.scheduling.journal.replay;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.SchedulingPolicies;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.journal.RecordedPolicy;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A second policy with the settings of a recorded one, which gets the same events. */
final class SchedulerReplay {
  private final SchedulingPolicy policy;
  private final ReplayedTickets tickets = new ReplayedTickets();
  private final RecordedRule recordedRule = new RecordedRule();
  private @Nullable Decision replayed;

  SchedulerReplay(SchedulerStarted started) {
    policy =
        new RecordedPolicy(
            started.scheduler(),
            started.hasRule() ? recordedRule : BatchingRule.ALL,
            rule ->
                SchedulingPolicies.of(
                    started.settings(),
                    started.maxBatchSize(),
                    started.costs(),
                    started.limits(),
                    rule),
            () -> true,
            decision -> replayed = decision);
  }

  Decision repeat(Decision recorded) {
    long now = 0;
    recordedRule.load(recorded);
    for (Entry entry : recorded.entries()) {
      switch (entry) {
        case Entry.At(long nanos) -> now = nanos;
        case Entry.RuleResult _ -> {} // returned when the policy asks
        case Entry.Event event -> handle(event, now);
        case Entry.Action _ -> {} // an output
      }
    }
    try {
      policy.decide(now, tickets);
    } catch (RuntimeException | Error bug) {
      rethrowFatal(bug);
    }
    return Objects.requireNonNull(replayed, "the policy recorded no decision");
  }

  private void handle(Entry.Event event, long now) {
    try {
      switch (event) {
        case Entry.At _, Entry.RuleResult _ ->
            throw new IllegalStateException("not an event of a policy: " + event);
        case Entry.Arrived arrived -> policy.arrived(tickets.arrive(arrived), now, tickets);
        case Entry.Announced(Entry.Arrived head) -> {
          var _ = policy.announced(ReplayedTickets.ticket(head), now);
        }
        case Entry.Cancelled(long ticket) -> policy.cancelled(tickets.of(ticket), now, tickets);
        case Entry.Rescheduled rescheduled ->
            policy.rescheduled(tickets.reschedule(rescheduled), now, tickets);
        case Entry.Ready(int instance) -> policy.ready(instance, now, tickets);
        case Entry.CutShort(int instance) -> policy.cutShort(instance, now, tickets);
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
      rethrowFatal(bug);
    }
  }

  /** Ignores failures of the policy: they are recorded, and compared like actions. */
  private static void rethrowFatal(Throwable bug) {
    if (bug instanceof VirtualMachineError fatal) {
      throw fatal;
    }
  }

  /** A rule that returns the recorded results, in place of the model's. */
  private static final class RecordedRule implements BatchingRule {
    private final Queue<Boolean> results = new ArrayDeque<>();

    void load(Decision decision) {
      results.clear();
      for (Entry entry : decision.entries()) {
        if (entry instanceof Entry.RuleResult(boolean joins)) {
          results.add(joins);
        }
      }
    }

    @Override
    public void begin(Ticket first) {}

    @Override
    public boolean joins(Ticket next) {
      Boolean joins = results.poll();
      return joins != null && joins; // if there is none, the decisions differ anyway
    }
  }
}
