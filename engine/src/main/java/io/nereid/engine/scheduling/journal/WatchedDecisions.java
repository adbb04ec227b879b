package io.nereid.engine.scheduling.journal;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The last decisions of schedulers that someone watches, in memory. For a model that is not watched
 * its scheduler numbers the requests, and makes nothing. Wraps another journal. Thread-safe;
 * schedulers never wait.
 */
public final class WatchedDecisions implements DecisionJournal {
  /** How long a model is watched unless that is asked again. */
  public static final Duration TIME = Duration.ofMinutes(1);

  /** Decisions that are kept of a model. */
  static final int KEPT = 4096;

  /** Models whose decisions are kept: the limit of the memory. */
  static final int MAX_MODELS = 8;

  /**
   * What is known of a model's decisions.
   *
   * @param leftNanos until they are no longer recorded; not above 0 if they are not
   * @param isBatching false if each request is a batch of its own
   * @param costs of a batch; null if they have no limit
   * @param decisions the last ones, in order
   */
  public record Watched(
      long leftNanos,
      boolean isBatching,
      @Nullable BatchCostSettings costs,
      List<Decision> decisions) {
    public Watched {
      decisions = List.copyOf(decisions);
    }
  }

  private final DecisionJournal journal;
  private final LongSupplier clock;
  private final List<SchedulerWatch> watches = new CopyOnWriteArrayList<>();

  /**
   * @param journal the other
   * @param clock nanoseconds
   */
  public WatchedDecisions(DecisionJournal journal, LongSupplier clock) {
    this.journal = journal;
    this.clock = clock;
  }

  @Override
  public SchedulingPolicy policy(
      ModelKey model, ModelConfig config, int instances, QueueLimits limits, BatchingRule rule) {
    var watch =
        new SchedulerWatch(
            model,
            !(config.scheduling() instanceof SchedulingSettings.Direct),
            config.batchCost().orElse(null));
    var policy =
        new RecordedPolicy(
            0,
            rule,
            recorded -> watch.recorded(journal.policy(model, config, instances, limits, recorded)),
            () -> watch.isOn,
            watch::add);
    watch.policy = policy;
    watches.add(watch);
    return policy;
  }

  @Override
  public void ended(SchedulingPolicy policy) {
    watches.stream()
        .filter(watch -> policy.equals(watch.policy))
        .findFirst()
        .ifPresent(watch -> {
          watches.remove(watch);
          journal.ended(Objects.requireNonNull(watch.inner));
        });
  }

  /**
   * Has the decisions on a model recorded for {@link #TIME} from now on; again, if they are.
   *
   * @throws InferenceException NOT_FOUND if the version has no scheduler, UNAVAILABLE if as many
   *     others are watched as may be
   */
  public synchronized void watch(ModelKey model) {
    SchedulerWatch watch = find(model);
    if (watch.kept == null) {
      List<SchedulerWatch> others = watches.stream().filter(each -> each.kept != null).toList();
      if (others.size() >= MAX_MODELS) {
        others.stream()
            .filter(each -> each.leftNanos() <= 0)
            .min(Comparator.comparingLong(SchedulerWatch::leftNanos))
            .orElseThrow(() ->
                InferenceException.unavailable(
                    "model '%s': the decisions on %d models are watched, which is the most; try again in a minute"
                        .formatted(model.name(), MAX_MODELS)))
            .forget();
      }
    }
    watch.begin();
  }

  /**
   * The decisions that were recorded of a model.
   *
   * @throws InferenceException NOT_FOUND if the version has no scheduler
   */
  public Watched decisions(ModelKey model) {
    SchedulerWatch watch = find(model);
    return new Watched(watch.leftNanos(), watch.isBatching, watch.costs, watch.decisions());
  }

  private SchedulerWatch find(ModelKey model) {
    return watches.reversed().stream()
        .filter(watch -> watch.model.equals(model))
        .findFirst()
        .orElseThrow(() ->
            InferenceException.notFound(
                "model '%s' version %d has no scheduler to watch: it is not loaded, or an ensemble"
                    .formatted(model.name(), model.version())));
  }

  /** A decision with its place in the order. */
  private record Kept(long number, Decision decision) {}

  /** The watch of one scheduler. Its policy adds decisions, by one thread at a time. */
  private final class SchedulerWatch {
    final ModelKey model;
    final boolean isBatching;
    final @Nullable BatchCostSettings costs;
    private @Nullable SchedulingPolicy inner;
    private volatile @Nullable SchedulingPolicy policy;
    private volatile boolean isOn;

    /** When the watch ends; of any time once there are decisions. */
    private volatile long endNanos;

    /** A ring; null until the model is watched. */
    private volatile @Nullable AtomicReferenceArray<@Nullable Kept> kept;

    /** Of the scheduler's thread. */
    private long number;

    SchedulerWatch(ModelKey model, boolean isBatching, @Nullable BatchCostSettings costs) {
      this.isBatching = isBatching;
      this.model = model;
      this.costs = costs;
    }

    /** Remembers the policy of the other journal, which is to hear of its end. */
    SchedulingPolicy recorded(SchedulingPolicy other) {
      inner = other;
      return other;
    }

    void begin() {
      endNanos = clock.getAsLong() + TIME.toNanos();
      if (!isOn) {
        kept = new AtomicReferenceArray<>(KEPT); // decisions of before do not join on
        isOn = true;
      }
    }

    void forget() {
      isOn = false;
      kept = null;
    }

    long leftNanos() {
      return kept == null ? 0 : endNanos - clock.getAsLong();
    }

    void add(Decision decision) {
      AtomicReferenceArray<@Nullable Kept> ring = kept;
      if (ring == null || endNanos - clock.getAsLong() <= 0) {
        isOn = false;
      } else {
        ring.setRelease((int) (number % KEPT), new Kept(number, decision));
        number++;
      }
    }

    List<Decision> decisions() {
      AtomicReferenceArray<@Nullable Kept> ring = kept;
      return ring == null
          ? List.of()
          : IntStream.range(0, KEPT)
              .mapToObj(ring::getAcquire)
              .filter(Objects::nonNull)
              .sorted(Comparator.comparingLong(Kept::number))
              .map(Kept::decision)
              .toList();
    }
  }
}
