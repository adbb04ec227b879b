package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The invariants of the sequence batcher under random events. */
class RandomSequencesTest {
  private static final int EVENTS = 4_000;
  private static final int INSTANCES = 3;

  /** Executes and checks the actions. */
  private static final class Checked implements SchedulingActions {
    final Set<Ticket> open = new HashSet<>();
    final Set<Object> ended = new HashSet<>();
    final Map<Integer, List<Ticket>> running = new HashMap<>();
    final Map<Object, Long> lastRun = new HashMap<>();
    final Deque<Integer> called = new ArrayDeque<>();
    final boolean iterative;

    Checked(boolean iterative) {
      this.iterative = iterative;
    }

    @Override
    public void wake(int instance) {
      assertThat(running).doesNotContainKey(instance);
      called.add(instance);
    }

    @Override
    public void idle(int instance) {
      assertThat(running).doesNotContainKey(instance);
    }

    @Override
    public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      assertThat(running).doesNotContainKey(instance);
      List<Ticket> requests = new ArrayList<>();
      Set<Object> sequences = new HashSet<>();
      for (int i = 0; i < size; i++) {
        Ticket ticket = batch[i];
        if (ticket != null) {
          requests.add(ticket);
          Object sequence = ticket.sequence;
          assertThat(sequences.add(sequence)).as("one request of a sequence").isTrue();
          assertThat(ended).doesNotContain(sequence);
          assertThat(running.values().stream().flatMap(List::stream).map(each -> each.sequence))
              .doesNotContain(sequence);
          long number = (Long) NamedTicket.nameOf(ticket);
          Long before = lastRun.put(sequence, number);
          assertThat(iterative || before == null || before < number).as("in order").isTrue();
          assertThat(ticket.batchKey()).isEqualTo(requests.getFirst().batchKey());
        }
      }
      assertThat(requests).isNotEmpty();
      running.put(instance, requests);
    }

    @Override
    public void refuse(Ticket ticket, PredictedWait wait) {
      assertThat(open.remove(ticket)).as("refused once, and not executed").isTrue();
    }

    @Override
    public void reject(Ticket ticket, Rejection rejection) {
      assertThat(open.remove(ticket)).as("rejected once, and not executed").isTrue();
      if (rejection != Rejection.SEQUENCE_OVER) { // a request that cannot be rescheduled
        assertThat(running.values().stream().flatMap(List::stream)).doesNotContain(ticket);
      }
    }

    @Override
    public void ended(Object sequence) {
      assertThat(ended.add(sequence)).as("ended once").isTrue();
    }
  }

  private final Deque<Ticket> recent = new ArrayDeque<>();
  private long numbers;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyRequestEndsOnceInTheOrderOfItsSequence(long seed) {
    var random = new Random(seed);
    boolean iterative = random.nextBoolean();
    Strategy strategy =
        random.nextBoolean()
            ? new Strategy.Direct(random.nextInt(3) * 50L, random.nextInt(3) / 2.0)
            : new Strategy.Oldest(random.nextInt(4), List.of(2, 4), random.nextInt(3) * 50L, false);
    var policy =
        new SequencePolicy(
            new SequenceSettings(500, List.of(), strategy, List.of(), iterative),
            4,
            QueueLimits.of(40));
    var actions = new Checked(iterative);
    long now = 0;
    policy.instanceAdded(0, 0, now, actions);
    for (int i = 0; i < EVENTS; i++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> policy.arrived(request(random, now, actions), now, actions);
        case 8, 9 -> becomesReady(policy, now, actions);
        case 3, 4 -> executed(random, iterative, policy, now, actions);
        case 5 -> now += random.nextInt(200_000);
        case 6 -> {
          if (!recent.isEmpty() && random.nextInt(4) == 0) {
            policy.cancelled(recent.poll(), now, actions);
          }
        }
        default -> {
          int instance = random.nextInt(INSTANCES);
          if (random.nextBoolean()) {
            policy.instanceAdded(instance, 0, now, actions);
          } else if (instance != 0) {
            policy.instanceAdded(instance, 0, now, actions);
            policy.instanceRemoved(instance, now, actions);
          }
        }
      }
      assertThat(policy.decide(now, actions)).isGreaterThan(now);
    }
    now = drain(policy, now, actions);
    assertThat(actions.open).isEmpty();
    assertThat(policy.waiting()).isZero();
    assertThat(actions.ended).containsAll(actions.lastRun.keySet());
    assertThat(policy.decide(now, actions)).isEqualTo(Ticket.NEVER);
  }

  private Ticket request(Random random, long now, Checked actions) {
    boolean start = random.nextInt(3) == 0;
    boolean end = random.nextInt(3) == 0;
    long timeoutMicros = random.nextInt(4) == 0 ? 100 + random.nextInt(300) : 0;
    long deadline = random.nextInt(8) == 0 ? now + random.nextInt(300_000) : Ticket.NEVER;
    var id = new SequenceId.OfNumber(random.nextInt(24));
    String key = random.nextInt(6) == 0 ? "other" : "key";
    var options = new RequestOptions(id, start, end, 0, timeoutMicros, Map.of());
    var ticket = new NamedTicket(numbers++, 1, now, deadline, key, options);
    actions.open.add(ticket);
    recent.add(ticket);
    if (recent.size() > 10) {
      recent.poll();
    }
    return ticket;
  }

  private static void executed(
      Random random, boolean iterative, SequencePolicy policy, long now, Checked actions) {
    if (actions.running.isEmpty()) {
      return;
    }
    int instance =
        List.copyOf(actions.running.keySet()).get(random.nextInt(actions.running.size()));
    for (Ticket ticket : List.copyOf(actions.running.getOrDefault(instance, List.of()))) {
      if (iterative && random.nextInt(4) != 0) {
        policy.rescheduled(ticket, now, actions);
      } else {
        actions.open.remove(ticket);
      }
    }
    actions.running.remove(instance);
    policy.executed(instance, now, now, actions);
  }

  private static void becomesReady(SequencePolicy policy, long now, Checked actions) {
    Integer instance = actions.called.poll();
    if (instance != null) {
      policy.ready(instance, now, actions);
    }
  }

  /** Executes all batches until all sequences are idle. */
  private static long drain(SequencePolicy policy, long from, Checked actions) {
    long now = from;
    for (int i = 0; i < EVENTS; i++) {
      for (int instance : List.copyOf(actions.running.keySet())) {
        actions.open.removeAll(actions.running.getOrDefault(instance, List.of()));
        actions.running.remove(instance);
        policy.executed(instance, now, now, actions);
      }
      becomesReady(policy, now, actions);
      long wake = policy.decide(now, actions);
      now = wake == Ticket.NEVER ? now : wake;
    }
    return now;
  }
}
