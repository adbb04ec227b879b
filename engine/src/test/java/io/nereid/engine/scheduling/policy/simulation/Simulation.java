package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.simulation.Scenario.Tick;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run of a scenario with a policy and its reference model. After each event their actions must be
 * equal, and after each decision the time of the next one. At the end all instances finish and all
 * alarms run until no event is left; then no request may wait.
 */
final class Simulation {
  /** The failure of a policy. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
      this(message, null);
    }

    Violation(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** Reports an event to a policy. */
  @FunctionalInterface
  private interface Report {
    void to(SchedulingPolicy policy, SchedulingActions actions);
  }

  /** Reports an event about a request to a policy. */
  @FunctionalInterface
  private interface RequestReport {
    void to(SchedulingPolicy policy, Ticket ticket, SchedulingActions actions);
  }

  /** The tickets of one request, one for each policy, which may change it. */
  private record Tickets(Ticket ofPolicy, Ticket ofReference) {}

  private static final Event.Finish LAST = new Event.Finish(0, 0, 0, true, false);

  private final Scenario scenario;
  private final SchedulingPolicy policy;
  private final SchedulingPolicy reference;
  private final ActionList actual = new ActionList();
  private final ActionList expected = new ActionList();
  private final Invariants invariants;
  private final Map<Integer, Tickets> tickets = new HashMap<>();
  private final Set<Long> deadlines = new HashSet<>();
  private final Log log;
  private long now;
  private long lastArrival;
  private long alarm = Ticket.NEVER;

  private Simulation(Scenario scenario, Log log) {
    this.scenario = scenario;
    this.policy = scenario.configuration().policy();
    this.reference = scenario.configuration().reference();
    this.invariants = new Invariants(scenario.configuration());
    this.log = log;
  }

  /**
   * Runs a scenario.
   *
   * @throws Violation if the policy fails
   */
  static void run(Scenario scenario, Log log) {
    try {
      new Simulation(scenario, log).run();
    } catch (Violation violation) {
      throw violation;
    } catch (RuntimeException | AssertionError | StackOverflowError thrown) {
      throw new Violation("thrown: " + thrown, thrown);
    }
  }

  private void run() {
    for (Tick tick : scenario.ticks()) {
      elapse(tick);
      for (Event event : tick.events()) {
        log.event(now, event);
        apply(event);
      }
      decide();
    }
    finishAll();
  }

  private void elapse(Tick tick) {
    long end =
        switch (tick.pause()) {
          case Tick.Pause.Nanos(long nanos) -> now + nanos;
          case Tick.Pause.UntilAlarm(long laterNanos, long otherwiseNanos) ->
              alarm == Ticket.NEVER ? now + otherwiseNanos : Math.max(now, alarm + laterNanos);
        };
    while (!tick.alarmLate() && alarm <= end) {
      now = alarm;
      decide();
    }
    now = end;
  }

  private void apply(Event event) {
    switch (event) {
      case Event.Arrive arrive -> arrive(arrive);
      case Event.Cancel(int name) -> {
        if (tickets.containsKey(name)) {
          tell(name, (each, ticket, actions) -> each.cancelled(ticket, now, actions));
        }
      }
      case Event.Ready(int choice) -> {
        List<Integer> woken = invariants.woken();
        if (!woken.isEmpty()) {
          ready(woken.get(choice % woken.size()));
        }
      }
      case Event.Finish finish -> {
        List<Integer> busy = invariants.busy();
        if (!busy.isEmpty()) {
          finish(busy.get(finish.choice() % busy.size()), finish);
        }
      }
      case Event.Add(int instance, long priority) -> {
        if (invariants.isFree(instance)) {
          add(instance, priority);
        }
      }
      case Event.Remove(int instance) -> {
        if (invariants.isActive(instance)) {
          invariants.removed(instance);
          tell((each, actions) -> each.instanceRemoved(instance, now, actions));
        }
      }
      case Event.Stop() -> tell((each, _) -> each.stopped());
    }
  }

  private void arrive(Event.Arrive arrive) {
    long arrival = Math.max(0, now - arrive.agoNanos());
    lastArrival = arrival;
    long deadline =
        arrive.timeToDeadlineNanos() < 0 ? Ticket.NEVER : arrival + arrive.timeToDeadlineNanos();
    while (deadline != Ticket.NEVER && !deadlines.add(deadline)) {
      deadline++; // equal deadlines would leave the order open
    }
    var both = new Tickets(ticket(arrive, arrival, deadline), ticket(arrive, arrival, deadline));
    tickets.put(arrive.name(), both);
    invariants.beginArrival(arrive);
    tell(arrive.name(), (each, ticket, actions) -> each.arrived(ticket, now, actions));
    invariants.endArrival();
    actual.accepted(both.ofPolicy);
  }

  private static Ticket ticket(Event.Arrive arrive, long arrival, long deadline) {
    var ticket =
        new NamedTicket(
            arrive.name(), arrive.rows(), arrival, deadline, arrive.key(), arrive.options());
    ticket.setClient(arrive.client());
    ticket.setWeight(ReferenceCost.weight(arrive.name()));
    return arrive.ensembleStep() ? ticket.asStep() : ticket;
  }

  private void add(int instance, long priority) {
    invariants.added(instance);
    tell((each, actions) -> each.instanceAdded(instance, priority, now, actions));
  }

  private void ready(int instance) {
    invariants.ready(instance);
    tell((each, actions) -> each.ready(instance, now, actions));
  }

  private void finish(int instance, Event.Finish how) {
    List<Integer> batch = invariants.batch(instance);
    for (int i = 0; i < batch.size(); i++) {
      if (scenario.configuration().isIterative() && (how.again() >> i & 1) != 0) {
        invariants.beginReschedule(batch.get(i));
        tell(batch.get(i), (each, ticket, actions) -> each.rescheduled(ticket, now, actions));
        invariants.endArrival();
      }
    }
    invariants.finished(instance);
    boolean atLastArrival = how.agoNanos() == Event.Finish.AT_LAST_ARRIVAL;
    long end = atLastArrival ? lastArrival : Math.max(0, now - how.agoNanos());
    if (how.cutShort()) {
      tell((each, actions) -> each.cutShort(instance, now, actions));
    }
    tell((each, actions) -> each.executed(instance, end, now, actions));
    if (how.ready()) {
      ready(instance);
    }
  }

  private void tell(int name, RequestReport report) {
    Tickets both = Objects.requireNonNull(tickets.get(name));
    report.to(policy, both.ofPolicy, actual);
    report.to(reference, both.ofReference, expected);
    compare();
  }

  private void tell(Report report) {
    report.to(policy, actual);
    report.to(reference, expected);
    compare();
  }

  private void decide() {
    decideOnce();
    while (scenario.prompt() && !invariants.woken().isEmpty()) {
      invariants.woken().forEach(this::ready);
      decideOnce();
    }
  }

  private void decideOnce() {
    long wake = policy.decide(now, actual);
    long expectedWake = reference.decide(now, expected);
    compare();
    if (wake != expectedWake) {
      throw new Violation("wants to decide at %d, not at %d".formatted(wake, expectedWake));
    }
    if (wake <= now) {
      throw new Violation("wants to decide again at once");
    }
    invariants.decided();
    alarm = wake;
  }

  private void compare() {
    List<Action> actions = actual.take();
    List<Action> wanted = expected.take();
    if (!actions.isEmpty()) {
      log.actions(now, actions);
      actions.forEach(invariants::check);
    }
    if (!ActionList.comparable(actions).equals(ActionList.comparable(wanted))) {
      throw new Violation("expected " + wanted);
    }
    if (policy.hasSequences() != reference.hasSequences()) {
      throw new Violation("hasSequences() differs");
    }
    int waiting = invariants.waiting();
    if (policy.waiting() != waiting || reference.waiting() != waiting) {
      throw new Violation(
          "%d wait, not %d; in the reference model %d"
              .formatted(policy.waiting(), waiting, reference.waiting()));
    }
    for (int instance : invariants.present()) {
      boolean removed = policy.isRemoved(instance);
      if (removed != reference.isRemoved(instance)) {
        throw new Violation("instance " + instance + (removed ? " is" : " is not") + " removed");
      }
      if (removed) {
        invariants.retired(instance);
      }
    }
  }

  private void finishAll() {
    if (invariants.present().stream().noneMatch(invariants::isActive)) {
      int free = 0;
      while (!invariants.isFree(free)) {
        free++;
      }
      add(free, 0);
      decide();
    }
    int rounds = 100 + 10 * tickets.size();
    while (!invariants.isQuiet() || alarm != Ticket.NEVER) {
      if (rounds-- == 0) {
        throw new Violation("does not finish");
      }
      if (alarm != Ticket.NEVER) {
        now = alarm;
      }
      invariants.woken().forEach(this::ready);
      invariants.busy().forEach(instance -> finish(instance, LAST));
      decide();
    }
    invariants.allFinished();
    ReachableTickets.firstFrom(policy)
        .ifPresent(ticket -> {
          throw new Violation("the policy still refers to #" + NamedTicket.nameOf(ticket));
        });
  }
}
