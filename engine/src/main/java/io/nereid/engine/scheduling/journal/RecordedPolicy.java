package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy that records the events and actions of each decision of another policy. The scheduler
 * runs it while it is recorded, and the replay runs it too, so that their decisions can be
 * compared. A decision that is not recorded is made by the other policy alone.
 */
public final class RecordedPolicy implements SchedulingPolicy {
  private final SchedulingPolicy policy;
  private final OpenDecision decision;
  private final RecordingActions recorded;
  private long tickets;

  /**
   * Tickets are numbered also while nothing is recorded.
   *
   * @param scheduler its number in the journal
   * @param rule the model's rule, whose results are recorded too
   * @param policy creates the other policy
   * @param recording whether the next decision is recorded; asked once for each
   * @param decisions receives each decision that is recorded; must not block
   */
  public RecordedPolicy(
      int scheduler,
      BatchingRule rule,
      Function<BatchingRule, SchedulingPolicy> policy,
      BooleanSupplier recording,
      Consumer<Decision> decisions) {
    decision = new OpenDecision(scheduler, recording, decisions);
    recorded = new RecordingActions(decision);
    this.policy =
        policy.apply(rule.equals(BatchingRule.ALL) ? rule : new RecordingRule(rule, decision));
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    number(ticket);
    if (decision.at(now)) {
      decision.add(entry(ticket, decision.waits(ticket)));
      handle(() -> policy.arrived(ticket, now, recorded.to(actions)));
      decision.sequence(ticket);
    } else {
      policy.arrived(ticket, now, actions);
    }
  }

  private void number(Ticket ticket) {
    tickets++;
    ticket.number(tickets);
  }

  private static Entry.Arrived entry(Ticket ticket, int batchClass) {
    return new Entry.Arrived(
        ticket.number(),
        ticket.id(),
        ticket.rows(),
        ticket.weight(),
        ticket.arrivalNanos(),
        ticket.deadlineNanos(),
        batchClass,
        ticket.priority(),
        ticket.timeoutMicros(),
        ticket.sequenceId(),
        ticket.sequenceStart(),
        ticket.sequenceEnd(),
        ticket.isStep(),
        ticket.isAnnounced(),
        ticket.client());
  }

  @Override
  public @Nullable PredictedWait announced(Ticket ticket, long now) {
    number(ticket);
    boolean isRecorded = decision.at(now);
    if (isRecorded) {
      decision.add(new Entry.Announced(entry(ticket, 0)));
    }
    PredictedWait wait = policy.announced(ticket, now);
    if (wait != null && isRecorded) {
      decision.add(new Entry.Refused(ticket.number(), wait));
    }
    return wait;
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.number() != 0 && decision.at(now)) { // without a number it never reached the policy
      decision.add(new Entry.Cancelled(ticket.number()));
      handle(() -> policy.cancelled(ticket, now, recorded.to(actions)));
    } else {
      policy.cancelled(ticket, now, actions);
    }
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.Rescheduled(ticket.number(), decision.waits(ticket)));
      handle(() -> policy.rescheduled(ticket, now, recorded.to(actions)));
    } else {
      policy.rescheduled(ticket, now, actions);
    }
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.Ready(instance));
      handle(() -> policy.ready(instance, now, recorded.to(actions)));
    } else {
      policy.ready(instance, now, actions);
    }
  }

  @Override
  public void cutShort(int instance, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.CutShort(instance));
      handle(() -> policy.cutShort(instance, now, recorded.to(actions)));
    } else {
      policy.cutShort(instance, now, actions);
    }
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.Executed(instance, endNanos));
      handle(() -> policy.executed(instance, endNanos, now, recorded.to(actions)));
    } else {
      policy.executed(instance, endNanos, now, actions);
    }
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.InstanceAdded(instance, priority));
      handle(() -> policy.instanceAdded(instance, priority, now, recorded.to(actions)));
    } else {
      policy.instanceAdded(instance, priority, now, actions);
    }
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    if (decision.at(now)) {
      decision.add(new Entry.InstanceRemoved(instance));
      handle(() -> policy.instanceRemoved(instance, now, recorded.to(actions)));
    } else {
      policy.instanceRemoved(instance, now, actions);
    }
  }

  @Override
  public void stopped() {
    if (decision.isRecorded()) {
      decision.add(new Entry.Stopped());
      handle(policy::stopped);
    } else {
      policy.stopped();
    }
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    boolean isRecorded = decision.at(now);
    long wakeNanos = Ticket.NEVER;
    try {
      wakeNanos = policy.decide(now, isRecorded ? recorded.to(actions) : actions);
    } catch (RuntimeException | Error bug) {
      if (isRecorded) {
        failed(bug);
      }
      throw bug;
    } finally {
      decision.end(wakeNanos);
    }
    return wakeNanos;
  }

  @Override
  public boolean isRemoved(int instance) {
    return policy.isRemoved(instance);
  }

  @Override
  public int waiting() {
    return policy.waiting();
  }

  @Override
  public long waitNanos(long now) {
    return policy.waitNanos(now);
  }

  @Override
  public boolean hasSequences() {
    return policy.hasSequences();
  }

  /** Runs an event of a decision that is recorded. */
  private void handle(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error bug) {
      failed(bug);
      throw bug;
    }
  }

  private void failed(Throwable bug) {
    decision.add(new Entry.Failed(bug.getClass().getName()));
  }
}
