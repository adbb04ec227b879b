package io.nereid.engine.scheduling.journal;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SchedulingPolicies;
import io.nereid.engine.scheduling.journal.JournalRecord.Closed;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.engine.thread.Uninterrupted;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.request.ModelKey;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A journal of the decisions of all schedulers, written to a file by a thread of its own.
 * Schedulers publish decisions to a ring and never wait. When the ring is full, the decisions of
 * that scheduler are missing from there on, and the file says so.
 */
public final class SchedulerJournal implements DecisionJournal, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SchedulerJournal.class.getName());

  /** The size of the ring. */
  static final int CAPACITY = 1 << 15;

  /** How long the thread parks when the ring is empty: at most this is lost if the server dies. */
  private static final long PAUSE_NANOS = 2_000_000;

  private final LongSupplier clock;
  private final JournalOutput output;
  private final RecordRing ring;
  private final List<SchedulerLog> logs = new CopyOnWriteArrayList<>();
  private final AtomicInteger schedulers = new AtomicInteger();
  private final ThreadGuard guard = new ThreadGuard("scheduler journal");
  private final Thread thread = Thread.ofPlatform().name("scheduler journal").unstarted(this::run);
  private volatile boolean closed;

  /**
   * Starts a journal in a file.
   *
   * @param clock the nanoseconds that decisions are made by
   * @param settings the conversion of a scheduler's settings
   * @throws IOException if the file cannot be written
   */
  public static SchedulerJournal open(
      JournalFile file, LongSupplier clock, Function<SchedulingSettings, ModelConfig> settings)
      throws IOException {
    return start(file::begin, clock, settings, CAPACITY);
  }

  /**
   * Starts a journal.
   *
   * @param files closed with the journal
   * @param clock nanoseconds
   * @param capacity the size of the ring, a power of two
   */
  static SchedulerJournal start(
      JournalOutput.Files files,
      LongSupplier clock,
      Function<SchedulingSettings, ModelConfig> settings,
      int capacity)
      throws IOException {
    var journal = new SchedulerJournal(clock, new JournalOutput(files, settings), capacity);
    journal.thread.start();
    return journal;
  }

  private SchedulerJournal(LongSupplier clock, JournalOutput output, int capacity) {
    this.clock = clock;
    this.output = output;
    this.ring = new RecordRing(capacity, output::write);
  }

  @Override
  public SchedulingPolicy policy(
      ModelKey model,
      io.nereid.config.ModelConfig config,
      int instances,
      QueueLimits limits,
      BatchingRule rule) {
    BatchCostSettings costs = config.batchCost().orElse(null);
    var log = new SchedulerLog(schedulers.getAndIncrement(), model);
    logs.add(log);
    var started =
        new SchedulerStarted(
            log.scheduler,
            model,
            config.scheduling(),
            config.maxBatchSize(),
            costs,
            limits,
            instances,
            !rule.equals(BatchingRule.ALL),
            clock.getAsLong());
    while (!ring.offer(started)) { // may wait: the model is still being loaded
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    var policy =
        new RecordedPolicy(
            log.scheduler,
            rule,
            recorded ->
                SchedulingPolicies.of(
                    config.scheduling(), config.maxBatchSize(), costs, limits, recorded),
            () -> true,
            log::add);
    log.policy = policy;
    return policy;
  }

  @Override
  public void ended(SchedulingPolicy policy) {
    for (SchedulerLog log : logs) {
      if (policy.equals(log.policy)) {
        log.ended = new SchedulerEnded(log.scheduler, clock.getAsLong());
      }
    }
  }

  /** The decisions of one scheduler. */
  private final class SchedulerLog {
    final int scheduler;
    final ModelKey model;

    /** The number of decisions that the full ring rejected; written by one thread at a time. */
    final AtomicLong lost = new AtomicLong();

    /** Whether the file says that decisions are missing. */
    boolean incomplete;

    volatile @Nullable SchedulingPolicy policy;

    /** Written once all decisions are; set by the thread that has closed the scheduler. */
    volatile @Nullable SchedulerEnded ended;

    SchedulerLog(int scheduler, ModelKey model) {
      this.scheduler = scheduler;
      this.model = model;
    }

    void add(Decision decision) {
      if (lost.getPlain() != 0 || !ring.offer(decision)) { // decisions after a gap are useless
        lost.incrementAndGet();
      }
    }
  }

  private void run() {
    while (!closed) {
      guard.run(() -> {
        if (!writeAll()) {
          LockSupport.parkNanos(this, PAUSE_NANOS);
        }
      });
    }
    guard.run(this::writeEnd);
  }

  private void writeEnd() {
    var _ = writeAll();
    logs.forEach(this::writeLost);
    output.write(new Closed());
    var _ = output.flush();
  }

  /** Writes what is in the ring; returns false if there was nothing. */
  private boolean writeAll() {
    List<SchedulerLog> gaps =
        logs.stream().filter(log -> log.lost.get() != 0 && !log.incomplete).toList();
    List<SchedulerLog> over = logs.stream().filter(log -> log.ended != null).toList();
    ring.drain(); // includes all decisions published before the gaps and the ends were seen
    gaps.forEach(this::writeGap);
    over.forEach(this::writeEnd);
    return output.flush();
  }

  private void writeEnd(SchedulerLog log) {
    writeLost(log);
    output.write(Objects.requireNonNull(log.ended));
    logs.remove(log);
  }

  /** Writes how many decisions are missing in all. */
  private void writeLost(SchedulerLog log) {
    if (log.incomplete) {
      output.write(new Incomplete(log.scheduler, log.lost.get()));
    }
  }

  private void writeGap(SchedulerLog log) {
    log.incomplete = true;
    output.write(new Incomplete(log.scheduler, log.lost.get()));
    LOG.log(
        Level.WARNING,
        "the scheduler journal cannot keep up: decisions on model ''{0}'' are missing from here on",
        log.model);
  }

  /** Writes what is in the ring, and closes the file. Called once the schedulers are closed. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    Uninterrupted.until(() -> !thread.isAlive(), thread::join);
    output.close();
  }
}
