package io.nereid.server.scheduling.policy.simulation;

import io.nereid.request.RequestOptions;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.NamedTicket;
import io.nereid.server.scheduling.policy.SchedulingActions;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A policy and its naive model live through a scenario side by side. After each event they must
 * have taken the same steps, and after each decision they must want to be asked again at the same
 * time. In the end every instance finishes and time goes on until nothing happens any more: then
 * nothing may wait.
 */
final class Simulation {
  /** Tells a policy of something. */
  @FunctionalInterface
  private interface News {
    void tell(SchedulingPolicy policy, SchedulingActions actions);
  }

  /** Tells a policy of something about a request. */
  @FunctionalInterface
  private interface RequestNews {
    void tell(SchedulingPolicy policy, Ticket ticket, SchedulingActions actions);
  }

  /** The tickets of one request: the policy may change its own. */
  private record Tickets(Ticket policys, Ticket references) {}

  private static final Event.Finish LAST = new Event.Finish(0, 0, 0, true);

  private final Scenario scenario;
  private final SchedulingPolicy policy;
  private final SchedulingPolicy reference;
  private final ActionList taken = new ActionList();
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
    this.policy = scenario.subject().policy();
    this.reference = scenario.subject().reference();
    this.invariants = new Invariants(scenario.subject());
    this.log = log;
  }

  /**
   * Runs a scenario.
   *
   * @throws Violation if the policy does what it must not
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
    for (Turn turn : scenario.turns()) {
      pass(turn);
      for (Event event : turn.events()) {
        log.event(now, event);
        happen(event);
      }
      decide();
    }
    comeToRest();
  }

  private void pass(Turn turn) {
    long end =
        switch (turn.pause()) {
          case Turn.Pause.Nanos(long nanos) -> now + nanos;
          case Turn.Pause.UntilAlarm(long laterNanos, long otherwiseNanos) ->
              alarm == Ticket.NEVER ? now + otherwiseNanos : Math.max(now, alarm + laterNanos);
        };
    while (!turn.alarmLate() && alarm <= end) {
      now = alarm;
      decide();
    }
    now = end;
  }

  private void happen(Event event) {
    switch (event) {
      case Event.Arrive arrive -> arrive(arrive);
      case Event.Cancel(int name) -> {
        if (tickets.containsKey(name)) {
          tell(name, (each, ticket, actions) -> each.cancelled(ticket, now, actions));
        }
      }
      case Event.Come(int choice) -> {
        List<Integer> called = invariants.called();
        if (!called.isEmpty()) {
          come(called.get(choice % called.size()));
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
        if (invariants.serves(instance)) {
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
    long deadline = arrive.patienceNanos() < 0 ? Ticket.NEVER : arrival + arrive.patienceNanos();
    while (deadline != Ticket.NEVER && !deadlines.add(deadline)) {
      deadline++; // which of two clients gives up first must not be open
    }
    var both = new Tickets(ticket(arrive, arrival, deadline), ticket(arrive, arrival, deadline));
    tickets.put(arrive.name(), both);
    invariants.arrives(arrive);
    tell(arrive.name(), (each, ticket, actions) -> each.arrived(ticket, now, actions));
    invariants.hasCome();
    taken.accepted(both.policys);
  }

  private static Ticket ticket(Event.Arrive arrive, long arrival, long deadline) {
    var ticket =
        new NamedTicket(
            arrive.name(),
            arrive.rows(),
            arrival,
            deadline,
            arrive.key(),
            new RequestOptions(
                arrive.sequence(),
                arrive.start(),
                arrive.end(),
                arrive.priority(),
                arrive.timeoutMicros(),
                Map.of()));
    return arrive.ensembleStep() ? ticket.asStep() : ticket;
  }

  private void add(int instance, long priority) {
    invariants.added(instance);
    tell((each, actions) -> each.instanceAdded(instance, priority, now, actions));
  }

  private void come(int instance) {
    invariants.asks(instance);
    tell((each, actions) -> each.ready(instance, now, actions));
  }

  private void finish(int instance, Event.Finish how) {
    List<Integer> batch = invariants.batch(instance);
    for (int i = 0; i < batch.size(); i++) {
      if (scenario.subject().isIterative() && (how.again() >> i & 1) != 0) {
        invariants.returns(batch.get(i));
        tell(batch.get(i), (each, ticket, actions) -> each.rescheduled(ticket, now, actions));
        invariants.hasCome();
      }
    }
    invariants.finished(instance);
    boolean asTheLastCame = how.agoNanos() == Event.Finish.AS_THE_LAST_CAME;
    long end = asTheLastCame ? lastArrival : Math.max(0, now - how.agoNanos());
    tell((each, actions) -> each.executed(instance, end, now, actions));
    if (how.asks()) {
      come(instance);
    }
  }

  private void tell(int name, RequestNews news) {
    Tickets both = Objects.requireNonNull(tickets.get(name));
    news.tell(policy, both.policys, taken);
    news.tell(reference, both.references, expected);
    compare();
  }

  private void tell(News news) {
    news.tell(policy, taken);
    news.tell(reference, expected);
    compare();
  }

  private void decide() {
    decideOnce();
    while (scenario.prompt() && !invariants.called().isEmpty()) {
      invariants.called().forEach(this::come);
      decideOnce();
    }
  }

  private void decideOnce() {
    long wake = policy.decide(now, taken);
    long expectedWake = reference.decide(now, expected);
    compare();
    if (wake != expectedWake) {
      throw new Violation("wants to be asked at %d, not at %d".formatted(wake, expectedWake));
    }
    if (wake <= now) {
      throw new Violation("wants to be asked again at once");
    }
    invariants.decided();
    alarm = wake;
  }

  private void compare() {
    List<Action> actions = taken.take();
    List<Action> wanted = expected.take();
    if (!actions.isEmpty()) {
      log.actions(now, actions);
      actions.forEach(invariants::check);
    }
    if (!Outcome.of(actions).equals(Outcome.of(wanted))) {
      throw new Violation("expected " + wanted);
    }
    if (policy.hasSequences() != reference.hasSequences()) {
      throw new Violation("is wrong about whether there are sequences");
    }
    int waiting = invariants.waiting();
    if (policy.waiting() != waiting || reference.waiting() != waiting) {
      throw new Violation(
          "%d wait, not %d; in the model %d"
              .formatted(policy.waiting(), waiting, reference.waiting()));
    }
    for (int instance : invariants.present()) {
      boolean gone = policy.isRemoved(instance);
      if (gone != reference.isRemoved(instance)) {
        throw new Violation("instance " + instance + (gone ? " is" : " is not") + " gone");
      }
      if (gone) {
        invariants.gone(instance);
      }
    }
  }

  private void comeToRest() {
    if (invariants.present().stream().noneMatch(invariants::serves)) {
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
        throw new Violation("does not come to rest");
      }
      if (alarm != Ticket.NEVER) {
        now = alarm;
      }
      invariants.called().forEach(this::come);
      invariants.busy().forEach(instance -> finish(instance, LAST));
      decide();
    }
    invariants.atRest();
    Leftovers.ticket(policy)
        .ifPresent(ticket -> {
          throw new Violation("the policy still has #" + NamedTicket.nameOf(ticket));
        });
  }
}
