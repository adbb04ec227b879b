package io.nereid.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
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

/** Whatever happens, in whatever order, the promises of a sequence batcher hold. */
class RandomSequencesTest {
  private static final int EVENTS = 4_000;
  private static final int INSTANCES = 3;

  /** Does what it is told, and checks it. */
  private static final class Checked implements Steps {
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
    public void call(int instance) {
      assertThat(running).doesNotContainKey(instance);
      called.add(instance);
    }

    @Override
    public void rest(int instance) {
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
          Object sequence = ticket.sequence();
          assertThat(sequences.add(sequence)).as("one request of a sequence").isTrue();
          assertThat(ended).doesNotContain(sequence);
          assertThat(running.values().stream().flatMap(List::stream).map(Ticket::sequence))
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
    public void refuse(Ticket ticket, Refusal refusal) {
      assertThat(open.remove(ticket)).as("refused once, and not executed").isTrue();
      if (refusal != Refusal.SEQUENCE_OVER) { // a request that cannot be rescheduled
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
            new SequenceSettings(500, List.of(), strategy, List.of(), iterative), 4, 40);
    var steps = new Checked(iterative);
    long now = 0;
    policy.instanceAdded(0, 0, now, steps);
    for (int i = 0; i < EVENTS; i++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> policy.arrived(request(random, now, steps), now, steps);
        case 8, 9 -> comes(policy, now, steps);
        case 3, 4 -> executed(random, iterative, policy, now, steps);
        case 5 -> now += random.nextInt(200_000);
        case 6 -> {
          if (!recent.isEmpty() && random.nextInt(4) == 0) {
            policy.cancelled(recent.poll(), now, steps);
          }
        }
        default -> {
          int instance = random.nextInt(INSTANCES);
          if (random.nextBoolean()) {
            policy.instanceAdded(instance, 0, now, steps);
          } else if (instance != 0) {
            policy.instanceAdded(instance, 0, now, steps);
            policy.instanceRemoved(instance, now, steps);
          }
        }
      }
      assertThat(policy.decide(now, steps)).isGreaterThan(now);
    }
    now = drain(policy, now, steps);
    assertThat(steps.open).isEmpty();
    assertThat(policy.waiting()).isZero();
    assertThat(steps.ended).containsAll(steps.lastRun.keySet());
    assertThat(policy.decide(now, steps)).isEqualTo(Ticket.NEVER);
  }

  private Ticket request(Random random, long now, Checked steps) {
    boolean start = random.nextInt(3) == 0;
    boolean end = random.nextInt(3) == 0;
    long timeoutMicros = random.nextInt(4) == 0 ? 100 + random.nextInt(300) : 0;
    long deadline = random.nextInt(8) == 0 ? now + random.nextInt(300_000) : Ticket.NEVER;
    var id = new SequenceId.OfNumber(random.nextInt(24));
    String key = random.nextInt(6) == 0 ? "other" : "key";
    var options = new RequestOptions(id, start, end, 0, timeoutMicros, Map.of());
    var ticket = new NamedTicket(numbers++, 1, now, deadline, key, options);
    steps.open.add(ticket);
    recent.add(ticket);
    if (recent.size() > 10) {
      recent.poll();
    }
    return ticket;
  }

  private static void executed(
      Random random, boolean iterative, SequencePolicy policy, long now, Checked steps) {
    if (steps.running.isEmpty()) {
      return;
    }
    int instance = List.copyOf(steps.running.keySet()).get(random.nextInt(steps.running.size()));
    for (Ticket ticket : List.copyOf(steps.running.getOrDefault(instance, List.of()))) {
      if (iterative && random.nextInt(4) != 0) {
        policy.rescheduled(ticket, now, steps);
      } else {
        steps.open.remove(ticket);
      }
    }
    steps.running.remove(instance);
    policy.executed(instance, now, now, steps);
  }

  private static void comes(SequencePolicy policy, long now, Checked steps) {
    Integer instance = steps.called.poll();
    if (instance != null) {
      policy.ready(instance, now, steps);
    }
  }

  /** Lets everything run to its end, and all sequences become idle. */
  private static long drain(SequencePolicy policy, long from, Checked steps) {
    long now = from;
    for (int i = 0; i < EVENTS; i++) {
      for (int instance : List.copyOf(steps.running.keySet())) {
        steps.open.removeAll(steps.running.getOrDefault(instance, List.of()));
        steps.running.remove(instance);
        policy.executed(instance, now, now, steps);
      }
      comes(policy, now, steps);
      long wake = policy.decide(now, steps);
      now = wake == Ticket.NEVER ? now : wake;
    }
    return now;
  }
}
