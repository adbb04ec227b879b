package io.nereid.engine.utilization;

import io.nereid.config.EnsembleSettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.thread.IntervalRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the load of the server while someone asks for it: from the first question, by a thread
 * that ends {@link #IDLE_NANOS} after the last one. Twice a second it reads the statistics of all
 * models; 20 times a second it asks the schedulers of those that have requests how long another
 * would wait. May be used by any thread; no question blocks.
 */
public final class LoadMeter implements AutoCloseable {
  /** What is told of the load again and again. */
  @FunctionalInterface
  public interface Subscriber {
    /** Called 20 times a second by the meter's thread; must not block. */
    void measured(ServerLoad load, long nowNanos);
  }

  static final Duration TICK = Duration.ofMillis(50);

  /** How many ticks lie between two readings of the statistics. */
  static final int WINDOW = 10;

  static final long IDLE_NANOS = 10_000_000_000L;

  private final Supplier<? extends List<? extends MeasuredVersion>> versions;
  private final LongSupplier clock;
  private final Supplier<Duration> cpuTime;
  private final Duration interval;
  private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();

  /** Written by the meter's thread. */
  private volatile Optional<ServerLoad> latest = Optional.empty();

  /** Whether someone has asked since the thread looked last. */
  private volatile boolean isAsked;

  /** Null while nothing is measured; guarded by this, as is {@link #isClosed}. */
  private @Nullable IntervalRunner runner;

  private boolean isClosed;

  /** Whether the thread has begun; written under the lock by another before it starts it. */
  private volatile boolean isBegun;

  // Of the thread alone:
  private Map<MeasuredVersion, VersionLoad> loads = new HashMap<>();
  private final List<Map.Entry<MeasuredVersion, VersionLoad>> active = new ArrayList<>();
  private int ticks;
  private long lastTick;
  private long lastCount;
  private long lastAsked;
  private Duration lastCpu = Duration.ZERO;

  /**
   * @param versions those that serve; each time equal objects for the same version
   * @param clock in nanoseconds
   * @param cpuTime of the process so far
   * @param interval between the ticks of the thread
   */
  LoadMeter(
      Supplier<? extends List<? extends MeasuredVersion>> versions,
      LongSupplier clock,
      Supplier<Duration> cpuTime,
      Duration interval) {
    this.interval = interval;
    this.versions = versions;
    this.clock = clock;
    this.cpuTime = cpuTime;
  }

  /**
   * The meter of models.
   *
   * @param models those that serve
   */
  public static LoadMeter of(Supplier<List<LoadedModel>> models, LongSupplier clock) {
    return new LoadMeter(
        () -> models.get().stream().filter(Version::isMeasured).map(Version::new).toList(),
        clock,
        () -> ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO),
        TICK);
  }

  /** The load; empty in the first half second of a measurement. */
  public Optional<ServerLoad> load() {
    if (!isAsked) { // read by each request that asks, so seldom written
      isAsked = true;
      start();
    }
    return latest;
  }

  /** Tells a subscriber of the load until it is removed. */
  public void add(Subscriber subscriber) {
    subscribers.add(subscriber);
    isAsked = true;
    start();
  }

  /** Ends a subscription. It may be told once more at the same time. */
  public void remove(Subscriber subscriber) {
    subscribers.remove(subscriber);
  }

  private synchronized void start() {
    if (runner == null && !isClosed) {
      isBegun = false;
      runner = IntervalRunner.start("load meter", interval, this::tick);
    }
  }

  synchronized boolean isMeasuring() {
    return runner != null;
  }

  /** Begins a measurement: nothing of an earlier one counts. */
  private void begin(long now) {
    isBegun = true;
    loads = new HashMap<>();
    ticks = 0;
    lastTick = now;
    lastAsked = now;
    count(now);
  }

  /** One look at the schedulers, and at the statistics if that is due. */
  void tick() {
    long now = clock.getAsLong();
    if (!isBegun) {
      begin(now);
      return;
    }
    if (isAsked || !subscribers.isEmpty()) {
      isAsked = false;
      lastAsked = now;
    } else if (now - lastAsked > IDLE_NANOS && end()) {
      return;
    }
    long elapsed = now - lastTick;
    lastTick = now;
    for (var version : active) {
      version.getValue().waited(version.getKey().waitNanos(), elapsed);
    }
    ticks++;
    if (ticks % WINDOW == 0) {
      count(now);
    }
    latest.ifPresent(load -> subscribers.forEach(each -> each.measured(load, now)));
  }

  /** Ends the thread, unless someone has just asked. */
  private synchronized boolean end() {
    if (isAsked || !subscribers.isEmpty()) {
      return false;
    }
    if (runner != null) {
      runner.end();
      runner = null;
    }
    latest = Optional.empty();
    return true;
  }

  private void count(long now) {
    long elapsed = now - lastCount;
    lastCount = now;
    Map<MeasuredVersion, VersionLoad> known = loads;
    loads = new HashMap<>();
    active.clear();
    double utilization = 0;
    double requests = 0;
    double errors = 0;
    for (MeasuredVersion version : versions.get()) {
      VersionLoad load = known.getOrDefault(version, new VersionLoad());
      load.count(version.counts(), Math.max(1, elapsed));
      loads.put(version, load);
      if (load.isActive()) {
        active.add(Map.entry(version, load));
      }
      utilization += load.utilization();
      requests += load.requestsPerSecond();
      errors += load.errorsPerSecond();
    }
    Duration cpu = cpuTime.get();
    double share = (double) cpu.minus(lastCpu).toNanos() / Math.max(1, elapsed);
    lastCpu = cpu;
    if (ticks > 0) {
      double processors = Runtime.getRuntime().availableProcessors();
      latest =
          Optional.of(
              new ServerLoad(utilization, Math.max(0, share / processors), requests, errors));
    }
  }

  /** Ends the measurement, and waits for the thread. Nothing is measured any more. */
  @Override
  public void close() {
    IntervalRunner ended;
    synchronized (this) {
      isClosed = true;
      ended = runner;
      runner = null;
    }
    if (ended != null) {
      ended.close();
    }
  }

  private record Version(LoadedModel model) implements MeasuredVersion {
    /** The steps of an ensemble have its load. */
    static boolean isMeasured(LoadedModel model) {
      return !(model.config().scheduling() instanceof EnsembleSettings);
    }

    @Override
    public Counts counts() {
      StatisticsSnapshot counts = model.metrics();
      StatisticsSnapshot.Requests requests = counts.requests();
      long errors = 0;
      for (FailureReason reason : FailureReason.values()) {
        errors += reason == FailureReason.CANCELED ? 0 : counts.failures().getOrDefault(reason, 0L);
      }
      for (long refused : counts.refusals().values()) {
        errors += refused;
      }
      long succeeded = requests.success().count();
      return new Counts(
          succeeded + requests.fail().count(),
          errors,
          model.requests(),
          succeeded,
          requests.computeInput().nanos()
              + requests.computeInfer().nanos()
              + requests.computeOutput().nanos(),
          Math.max(1, model.configuration().instances().size()));
    }

    @Override
    public long waitNanos() {
      return model.scheduler().waitNanos();
    }
  }
}
