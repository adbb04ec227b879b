package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy that records the events and actions of each decision of another policy. The scheduler
 * runs it while it is recorded, and the replay runs it too, so that their decisions can be
 * compared.
 */
public final class RecordedPolicy implements SchedulingPolicy {
  private final int scheduler;
  private final SchedulingPolicy policy;
  private final BooleanSupplier recording;
  private final Consumer<Decision> decisions;
  private final BatchClasses batchClasses = new BatchClasses();
  private final List<Entry> entries = new ArrayList<>();
  private final RecordedActions recorded = new RecordedActions();

  /** The numbers of the tickets that started the open sequences. */
  private final IdentityHashMap<Object, Long> sequences = new IdentityHashMap<>();

  private long tickets;

  /** Whether this decision is recorded; changes between decisions only. */
  private boolean isRecording;

  /** The time recorded last in this decision; -1 if there is none. */
  private long time = -1;

  /**
   * A policy of which each decision is recorded.
   *
   * @param scheduler its number in the journal
   * @param rule the model's rule, whose results are recorded too
   * @param policy creates the other policy
   * @param decisions receives each decision; must not block
   */
  public RecordedPolicy(
      int scheduler,
      BatchingRule rule,
      Function<BatchingRule, SchedulingPolicy> policy,
      Consumer<Decision> decisions) {
    this(scheduler, rule, policy, () -> true, decisions);
  }

  /**
   * As the other. Tickets are numbered also while nothing is recorded.
   *
   * @param recording whether the next decision is recorded; asked once for each
   */
  RecordedPolicy(
      int scheduler,
      BatchingRule rule,
      Function<BatchingRule, SchedulingPolicy> policy,
      BooleanSupplier recording,
      Consumer<Decision> decisions) {
    this.scheduler = scheduler;
    this.recording = recording;
    this.policy = policy.apply(rule.equals(BatchingRule.ALL) ? rule : new RecordedRule(rule));
    this.decisions = decisions;
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    at(now);
    number(ticket);
    if (isRecording) {
      add(entry(ticket, batchClasses.add(ticket.batchKey())));
    }
    handle(() -> policy.arrived(ticket, now, recorded.to(actions)));
    if (isRecording && ticket.sequence() != null) {
      sequences.putIfAbsent(ticket.sequence(), ticket.number());
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
    at(now);
    number(ticket);
    if (isRecording) {
      add(new Entry.Announced(entry(ticket, 0)));
    }
    PredictedWait wait = policy.announced(ticket, now);
    if (wait != null) {
      add(new Entry.Refused(ticket.number(), wait));
    }
    return wait;
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.number() != 0) { // else it never reached the policy
      record(now, new Entry.Cancelled(ticket.number()));
    }
    handle(() -> policy.cancelled(ticket, now, recorded.to(actions)));
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    at(now);
    if (isRecording) {
      int batchClass = batchClasses.add(ticket.batchKey());
      add(new Entry.Rescheduled(ticket.number(), batchClass));
    }
    handle(() -> policy.rescheduled(ticket, now, recorded.to(actions)));
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    record(now, new Entry.Ready(instance));
    handle(() -> policy.ready(instance, now, recorded.to(actions)));
  }

  @Override
  public void cutShort(int instance, long now, SchedulingActions actions) {
    record(now, new Entry.CutShort(instance));
    handle(() -> policy.cutShort(instance, now, recorded.to(actions)));
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    record(now, new Entry.Executed(instance, endNanos));
    handle(() -> policy.executed(instance, endNanos, now, recorded.to(actions)));
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    record(now, new Entry.InstanceAdded(instance, priority));
    handle(() -> policy.instanceAdded(instance, priority, now, recorded.to(actions)));
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    record(now, new Entry.InstanceRemoved(instance));
    handle(() -> policy.instanceRemoved(instance, now, recorded.to(actions)));
  }

  @Override
  public void stopped() {
    add(new Entry.Stopped());
    handle(policy::stopped);
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    at(now);
    long wakeNanos = Ticket.NEVER;
    try {
      wakeNanos = policy.decide(now, recorded.to(actions));
    } catch (RuntimeException | Error bug) {
      failed(bug);
      throw bug;
    } finally {
      if (isRecording) {
        decisions.accept(new Decision(scheduler, entries, wakeNanos));
        entries.clear();
      }
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
  public long waitNanos(long now) {
    return policy.waitNanos(now);
  }

  @Override
  public boolean hasSequences() {
    return policy.hasSequences();
  }

  private void add(Entry entry) {
    if (isRecording) {
      entries.add(entry);
    }
  }

  private void record(long now, Entry event) {
    at(now);
    add(event);
  }

  /** Records the time, unless it is that of the entries before; may begin a decision. */
  private void at(long now) {
    if (time == -1 && isRecording != recording.getAsBoolean()) {
      isRecording = !isRecording;
      batchClasses.clear(); // those of requests that were dispatched while nothing was recorded
    }
    if (now != time) {
      time = now;
      add(new Entry.At(now));
    }
  }

  private void handle(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error bug) {
      failed(bug);
      throw bug;
    }
  }

  private void failed(Throwable bug) {
    add(new Entry.Failed(bug.getClass().getName()));
  }

  /** A rule that records its results. */
  private final class RecordedRule implements BatchingRule {
    private final BatchingRule rule;

    RecordedRule(BatchingRule rule) {
      this.rule = rule;
    }

    @Override
    public void begin(Ticket first) {
      rule.begin(first);
    }

    @Override
    public boolean joins(Ticket next) {
      boolean joins = rule.joins(next);
      add(new Entry.RuleResult(joins));
      return joins;
    }
  }

  /** Records actions before they are taken. */
  private final class RecordedActions implements SchedulingActions {
    private @Nullable SchedulingActions target;

    SchedulingActions to(SchedulingActions actions) {
      target = actions;
      return this;
    }

    private SchedulingActions target() {
      return Objects.requireNonNull(target, "an action outside of an event");
    }

    @Override
    public void wake(int instance) {
      add(new Entry.Woken(instance));
      target().wake(instance);
    }

    @Override
    public void idle(int instance) {
      add(new Entry.Idled(instance));
      target().idle(instance);
    }

    @Override
    public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      if (isRecording) {
        record(instance, batch, size, reason);
      }
      target().dispatch(instance, batch, size, reason);
    }

    private void record(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      List<Long> numbers = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        Ticket ticket = batch[i];
        if (ticket == null) {
          numbers.add(0L);
        } else {
          numbers.add(ticket.number());
          batchClasses.remove(ticket.batchKey());
        }
      }
      add(new Entry.Dispatched(instance, reason, numbers));
    }

    @Override
    public void reject(Ticket ticket, Rejection rejection) {
      batchClasses.remove(ticket.batchKey());
      add(new Entry.Rejected(ticket.number(), rejection));
      target().reject(ticket, rejection);
    }

    @Override
    public void refuse(Ticket ticket, PredictedWait wait) {
      batchClasses.remove(ticket.batchKey());
      add(new Entry.Refused(ticket.number(), wait));
      target().refuse(ticket, wait);
    }

    @Override
    public void ended(Object sequence) {
      Long first = sequences.remove(sequence);
      add(new Entry.Ended(first == null ? 0 : first));
      target().ended(sequence);
    }

    @Override
    public void restarted(Ticket ticket) {
      target().restarted(ticket); // follows from the arrival
    }
  }
}
