package io.nereid.journal;

import io.nereid.journal.JournalRecord.Decision;
import io.nereid.policy.BatchingRule;
import io.nereid.policy.DispatchReason;
import io.nereid.policy.Refusal;
import io.nereid.policy.SchedulingPolicy;
import io.nereid.policy.Steps;
import io.nereid.policy.Ticket;
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
final class RecordedPolicy implements SchedulingPolicy {
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
  RecordedPolicy(
      int scheduler,
      BatchingRule rule,
      Function<BatchingRule, SchedulingPolicy> policy,
      Consumer<Decision> notes) {
    this.scheduler = scheduler;
    this.policy = policy.apply(rule.equals(BatchingRule.ALL) ? rule : new NotedRule(rule));
    this.notes = notes;
  }

  @Override
  public void arrived(Ticket ticket, long now, Steps steps) {
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
    tell(() -> policy.arrived(ticket, now, noted.before(steps)));
    if (ticket.sequence() != null) {
      sequences.putIfAbsent(ticket.sequence(), ticket.number());
    }
  }

  @Override
  public void cancelled(Ticket ticket, long now, Steps steps) {
    if (ticket.number() != 0) { // otherwise the policy has never seen it
      note(now, new Entry.Cancelled(ticket.number()));
    }
    tell(() -> policy.cancelled(ticket, now, noted.before(steps)));
  }

  @Override
  public void rescheduled(Ticket ticket, long now, Steps steps) {
    int batchClass = batchClasses.enter(ticket.batchKey());
    note(now, new Entry.Rescheduled(ticket.number(), batchClass));
    tell(() -> policy.rescheduled(ticket, now, noted.before(steps)));
  }

  @Override
  public void ready(int instance, long now, Steps steps) {
    note(now, new Entry.Ready(instance));
    tell(() -> policy.ready(instance, now, noted.before(steps)));
  }

  @Override
  public void executed(int instance, long endNanos, long now, Steps steps) {
    note(now, new Entry.Executed(instance, endNanos));
    tell(() -> policy.executed(instance, endNanos, now, noted.before(steps)));
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, Steps steps) {
    note(now, new Entry.InstanceAdded(instance, priority));
    tell(() -> policy.instanceAdded(instance, priority, now, noted.before(steps)));
  }

  @Override
  public void instanceRemoved(int instance, long now, Steps steps) {
    note(now, new Entry.InstanceRemoved(instance));
    tell(() -> policy.instanceRemoved(instance, now, noted.before(steps)));
  }

  @Override
  public void stopped() {
    entries.add(new Entry.Stopped());
    tell(policy::stopped);
  }

  @Override
  public long decide(long now, Steps steps) {
    at(now);
    long wakeNanos = Ticket.NEVER;
    try {
      wakeNanos = policy.decide(now, noted.before(steps));
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
  private final class NotedSteps implements Steps {
    private @Nullable Steps steps;

    Steps before(Steps done) {
      steps = done;
      return this;
    }

    private Steps steps() {
      if (steps == null) {
        throw new IllegalStateException("a step without an event");
      }
      return steps;
    }

    @Override
    public void call(int instance) {
      entries.add(new Entry.Called(instance));
      steps().call(instance);
    }

    @Override
    public void rest(int instance) {
      entries.add(new Entry.Rested(instance));
      steps().rest(instance);
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
      steps().dispatch(instance, batch, size, reason);
    }

    @Override
    public void refuse(Ticket ticket, Refusal refusal) {
      batchClasses.leave(ticket.batchKey());
      entries.add(new Entry.Refused(ticket.number(), refusal));
      steps().refuse(ticket, refusal);
    }

    @Override
    public void ended(Object sequence) {
      Long first = sequences.remove(sequence);
      entries.add(new Entry.Ended(first == null ? 0 : first));
      steps().ended(sequence);
    }

    @Override
    public void restarted(Ticket ticket) {
      steps().restarted(ticket); // what came says so already
    }
  }
}
