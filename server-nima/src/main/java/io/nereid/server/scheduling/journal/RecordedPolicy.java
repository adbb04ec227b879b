package io.nereid.server.scheduling.journal;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy whose every decision is noted: what it is told and the steps that it takes. It is what a
 * scheduler runs while it is recorded, and what a replay runs, so that the two notes can be held
 * against each other.
 */
public final class RecordedPolicy implements SchedulingPolicy {
  private final int scheduler;
  private final SchedulingPolicy policy;
  private final Consumer<Decision> notes;
  private final BatchClasses batchClasses = new BatchClasses();
  private final List<Entry> entries = new ArrayList<>();
  private final NotedSteps noted = new NotedSteps();

  /** The sequences under way, each by the ticket that began it. */
  private final IdentityHashMap<Object, Long> sequences = new IdentityHashMap<>();

  private long tickets;

  /** The time noted last in this decision; -1: none yet. */
  private long time = -1;

  /**
   * @param scheduler its number
   * @param rule of the model, whose answers are noted too
   * @param policy makes the policy
   * @param notes takes each decision; must not block
   */
  public RecordedPolicy(
      int scheduler,
      BatchingRule rule,
      Function<BatchingRule, SchedulingPolicy> policy,
      Consumer<Decision> notes) {
    this.scheduler = scheduler;
    this.policy = policy.apply(rule.equals(BatchingRule.ALL) ? rule : new NotedRule(rule));
    this.notes = notes;
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    tickets++;
    ticket.number(tickets);
    note(
        now,
        new Entry.Arrived(
            tickets,
            ticket.id(),
            ticket.rows(),
            ticket.arrivalNanos(),
            ticket.deadlineNanos(),
            batchClasses.enter(ticket.batchKey()),
            ticket.priority(),
            ticket.timeoutMicros(),
            ticket.sequenceId(),
            ticket.sequenceStart(),
            ticket.sequenceEnd(),
            ticket.isStep()));
    tell(() -> policy.arrived(ticket, now, noted.before(actions)));
    if (ticket.sequence() != null) {
      sequences.putIfAbsent(ticket.sequence(), ticket.number());
    }
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.number() != 0) { // otherwise the policy has never seen it
      note(now, new Entry.Cancelled(ticket.number()));
    }
    tell(() -> policy.cancelled(ticket, now, noted.before(actions)));
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    int batchClass = batchClasses.enter(ticket.batchKey());
    note(now, new Entry.Rescheduled(ticket.number(), batchClass));
    tell(() -> policy.rescheduled(ticket, now, noted.before(actions)));
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    note(now, new Entry.Ready(instance));
    tell(() -> policy.ready(instance, now, noted.before(actions)));
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    note(now, new Entry.Executed(instance, endNanos));
    tell(() -> policy.executed(instance, endNanos, now, noted.before(actions)));
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    note(now, new Entry.InstanceAdded(instance, priority));
    tell(() -> policy.instanceAdded(instance, priority, now, noted.before(actions)));
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    note(now, new Entry.InstanceRemoved(instance));
    tell(() -> policy.instanceRemoved(instance, now, noted.before(actions)));
  }

  @Override
  public void stopped() {
    entries.add(new Entry.Stopped());
    tell(policy::stopped);
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    at(now);
    long wakeNanos = Ticket.NEVER;
    try {
      wakeNanos = policy.decide(now, noted.before(actions));
    } catch (RuntimeException | Error bug) {
      failed(bug);
      throw bug;
    } finally {
      notes.accept(new Decision(scheduler, entries, wakeNanos));
      entries.clear();
      time = -1;
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
  public boolean hasSequences() {
    return policy.hasSequences();
  }

  private void note(long now, Entry event) {
    at(now);
    entries.add(event);
  }

  /** Notes the time; at the start of each decision, and if it has changed since. */
  private void at(long now) {
    if (now != time) {
      time = now;
      entries.add(new Entry.At(now));
    }
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error bug) {
      failed(bug);
      throw bug;
    }
  }

  private void failed(Throwable bug) {
    entries.add(new Entry.Failed(bug.getClass().getName()));
  }

  /** Notes what the model's rule answers. */
  private final class NotedRule implements BatchingRule {
    private final BatchingRule rule;

    NotedRule(BatchingRule rule) {
      this.rule = rule;
    }

    @Override
    public void begin(Ticket first) {
      rule.begin(first);
    }

    @Override
    public boolean joins(Ticket next) {
      boolean joins = rule.joins(next);
      entries.add(new Entry.RuleAnswer(joins));
      return joins;
    }
  }

  /** Notes steps, then has them done. */
  private final class NotedSteps implements SchedulingActions {
    private @Nullable SchedulingActions actions;

    SchedulingActions before(SchedulingActions done) {
      actions = done;
      return this;
    }

    private SchedulingActions actions() {
      if (actions == null) {
        throw new IllegalStateException("a action without an event");
      }
      return actions;
    }

    @Override
    public void wake(int instance) {
      entries.add(new Entry.Called(instance));
      actions().wake(instance);
    }

    @Override
    public void idle(int instance) {
      entries.add(new Entry.Rested(instance));
      actions().idle(instance);
    }

    @Override
    public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      List<Long> numbers = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        Ticket ticket = batch[i];
        if (ticket == null) {
          numbers.add(0L);
        } else {
          numbers.add(ticket.number());
          batchClasses.leave(ticket.batchKey());
        }
      }
      entries.add(new Entry.Dispatched(instance, reason, numbers));
      actions().dispatch(instance, batch, size, reason);
    }

    @Override
    public void reject(Ticket ticket, Rejection rejection) {
      batchClasses.leave(ticket.batchKey());
      entries.add(new Entry.Rejected(ticket.number(), rejection));
      actions().reject(ticket, rejection);
    }

    @Override
    public void ended(Object sequence) {
      Long first = sequences.remove(sequence);
      entries.add(new Entry.Ended(first == null ? 0 : first));
      actions().ended(sequence);
    }

    @Override
    public void restarted(Ticket ticket) {
      actions().restarted(ticket); // what came says so already
    }
  }
}
