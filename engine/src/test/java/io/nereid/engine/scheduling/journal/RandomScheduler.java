package io.nereid.engine.scheduling.journal;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.model.config.conversion.SchedulingMessages;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler with random events of every kind: requests, cancellations, instances that are added,
 * execute one or several batches and are removed, and the time between them.
 */
final class RandomScheduler implements SchedulingActions {
  private static final int CAPACITY = 24;
  private static final int INSTANCES = 3;

  /** A limit of what a batch costs. */
  private static final Map<String, String> COSTS =
      Map.of(
          BatchCostSettings.MAX_COST,
          "30",
          BatchCostSettings.WEIGHT_INPUT,
          "ids",
          BatchCostSettings.MAX_PADDING,
          "20",
          BatchCostSettings.MAX_REORDERING,
          "500");

  private final Random random;
  private final boolean iterative;
  private final SchedulingPolicy policy;
  private final List<Ticket> tickets = new ArrayList<>();
  private final boolean pipelined;

  /** By instance: the tickets of its batches, the oldest first. */
  private final Map<Integer, Deque<List<Ticket>>> running = new TreeMap<>();

  private final Set<Integer> instances = new HashSet<>();
  private final Queue<Integer> woken = new ArrayDeque<>();
  private long now;
  private long wake = Ticket.NEVER;
  private int batches;

  RandomScheduler(String model, long seed, DecisionJournal journal) {
    random = new Random(seed * 0x9E3779B97F4A7C15L); // small seeds alone start alike
    SchedulingSettings settings = settings();
    iterative = settings instanceof SequenceSettings sequence && sequence.iterative();
    pipelined = !(settings instanceof SequenceSettings) && seed % 2 == 0;
    int maxBatchSize = 1 + random.nextInt(6);
    ModelConfig config =
        ModelConfig.of(model, "b")
            .withSignature(maxBatchSize, List.of(), List.of())
            .withScheduling(settings)
            .toBuilder()
            .parameters(seed % 3 == 0 ? Map.of() : COSTS)
            .build();
    var limits =
        new QueueLimits(
            CAPACITY,
            (seed & 2) == 0 ? Ticket.NEVER : 400_000,
            seed % 7 == 0 ? 3 : QueueLimits.SHARE,
            (int) (seed % 3) * 3);
    policy = journal.policy(new ModelKey(model, 1), config, INSTANCES, limits, rule());
  }

  /**
   * Writes a journal of three schedulers, which are stopped near the end; returns the number of
   * batches.
   */
  static int record(Path file, long seed, int events) throws IOException {
    int batches = 0;
    try (var journal =
        SchedulerJournal.open(
            new JournalFile(file, Long.MAX_VALUE), () -> 0, SchedulingMessages::message)) {
      List<RandomScheduler> schedulers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        schedulers.add(new RandomScheduler("m" + i, seed * 3 + i, journal));
      }
      for (int i = 0; i < events; i++) {
        schedulers.get(i % schedulers.size()).nextEvent();
      }
      for (RandomScheduler each : schedulers) {
        each.stop();
        for (int i = 0; i < 20; i++) {
          each.nextEvent();
        }
        batches += each.batches();
      }
    }
    return batches;
  }

  private SchedulingSettings settings() {
    long delay = random.nextBoolean() ? 0 : random.nextInt(2_000);
    return switch (random.nextInt(5)) {
      case 0 -> new SchedulingSettings.Direct();
      case 1 -> BatchingSettings.of(List.of(2, 4), delay);
      case 2 -> {
        var first = new QueuePolicy(TimeoutAction.REJECT, 300, true, 4);
        var other = new QueuePolicy(TimeoutAction.DELAY, 500, true, 6);
        yield new BatchingSettings(List.of(3), delay, false, 3, 2, other, Map.of(1L, first));
      }
      case 3 -> sequence(new Strategy.Direct(delay, random.nextFloat()));
      default -> sequence(new Strategy.Oldest(3, List.of(2), delay, false));
    };
  }

  private SequenceSettings sequence(Strategy strategy) {
    return new SequenceSettings(3_000, List.of(), strategy, List.of(), random.nextBoolean());
  }

  /** A rule of its own for one scheduler in three. */
  private BatchingRule rule() {
    if (random.nextInt(3) != 0) {
      return BatchingRule.ALL;
    }
    return new BatchingRule() {
      @Override
      public void begin(Ticket first) {}

      @Override
      public boolean joins(Ticket next) {
        return random.nextInt(4) != 0;
      }
    };
  }

  /** The number of dispatched batches. */
  int batches() {
    return batches;
  }

  /** Reports one to four events, then decides. */
  void nextEvent() {
    now += random.nextInt(200_000);
    if (wake != Ticket.NEVER && random.nextInt(3) == 0) {
      now = Math.max(now, wake);
    }
    for (int i = random.nextInt(4); i >= 0; i--) {
      report();
    }
    wake = policy.decide(now, this);
  }

  void stop() {
    policy.stopped();
    wake = policy.decide(now, this);
  }

  private void report() {
    switch (random.nextInt(pipelined ? 12 : 10)) {
      case 0 -> {
        int instance = random.nextInt(INSTANCES);
        if (instances.add(instance)) {
          policy.instanceAdded(instance, random.nextInt(3), now, this);
        }
      }
      case 1 -> {
        int instance = random.nextInt(INSTANCES);
        if (random.nextInt(5) == 0 && instances.remove(instance)) {
          policy.instanceRemoved(instance, now, this);
        }
      }
      case 2 -> {
        if (!tickets.isEmpty()) {
          policy.cancelled(tickets.get(random.nextInt(tickets.size())), now, this);
        }
      }
      case 3, 4 -> running.keySet().stream().findFirst().ifPresent(this::executed);
      case 5, 6 -> {
        Integer instance = woken.poll();
        if (instance != null) {
          policy.ready(instance, now, this);
        }
      }
      case 10, 11 -> running.keySet().forEach(instance -> policy.ready(instance, now, this));
      default -> {
        if (random.nextBoolean()) {
          var _ = policy.announced(ticket(), now);
        }
        Ticket ticket = ticket();
        tickets.add(ticket);
        policy.arrived(ticket, now, this);
      }
    }
  }

  private void executed(int instance) {
    Deque<List<Ticket>> batches = Objects.requireNonNull(running.get(instance));
    List<Ticket> batch = batches.remove();
    if (batches.isEmpty()) {
      running.remove(instance);
    }
    for (Ticket ticket : batch) {
      if (iterative && random.nextInt(3) == 0) {
        policy.rescheduled(ticket, now, this);
      }
    }
    if (random.nextInt(8) == 0) {
      policy.cutShort(instance, now, this);
    }
    policy.executed(instance, now - random.nextInt(1_000), now, this);
    if (random.nextBoolean()) {
      policy.ready(instance, now, this);
    }
  }

  private Ticket ticket() {
    int sequence = random.nextInt(8);
    SequenceId id =
        switch (sequence) {
          case 0 -> SequenceId.NONE;
          case 1, 2, 3 -> new SequenceId.OfNumber(-sequence);
          default -> new SequenceId.OfString("s" + sequence);
        };
    var options =
        new RequestOptions(
            id,
            random.nextBoolean(),
            random.nextInt(3) == 0,
            random.nextInt(5),
            random.nextBoolean() ? 0 : random.nextInt(1_000),
            Map.of());
    long arrival = Math.max(0, now - random.nextInt(1_000));
    long deadline = random.nextInt(2) == 0 ? now + random.nextInt(1_000_000) : Ticket.NEVER;
    int rows = random.nextInt(4) == 0 ? 2 : 1;
    var ticket =
        new NamedTicket(
            "r" + tickets.size(), rows, arrival, deadline, random.nextInt(3) / 2, options);
    ticket.setClient("c" + random.nextInt(3));
    ticket.setWeight(1 + tickets.size() % 12);
    return random.nextInt(4) == 0 ? ticket.asStep() : ticket;
  }

  @Override
  public void wake(int instance) {
    woken.add(instance);
  }

  @Override
  public void idle(int instance) {}

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    List<Ticket> executing = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      if (ticket != null) {
        executing.add(ticket);
      }
    }
    running.computeIfAbsent(instance, _ -> new ArrayDeque<>()).add(executing);
    batches++;
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {}

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {}
}
