package io.nereid.server.scheduling.journal;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.scheduling.DecisionJournal;
import io.nereid.server.scheduling.SchedulingPolicies;
import io.nereid.server.scheduling.journal.JournalRecord.Closed;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import io.nereid.server.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.server.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A file to which the decisions of all schedulers are written, by a thread of its own. Schedulers
 * never wait for it: where it cannot keep up, the decisions of that scheduler are missing from
 * there on, and the file says so.
 */
public final class SchedulerJournal implements DecisionJournal, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SchedulerJournal.class.getName());

  /** Decisions that may wait to be written. */
  static final int CAPACITY = 1 << 15;

  /** How long the thread sleeps when there is nothing to write: what a killed server loses. */
  private static final long PAUSE_NANOS = 2_000_000;

  private static final int WRITE_SIZE = 1 << 16;

  private final OutputStream file;
  private final RecordForm form = new RecordForm();
  private final JournalBytes bytes = new JournalBytes();
  private final RecordRing ring;
  private final List<SchedulerLog> logs = new CopyOnWriteArrayList<>();
  private final AtomicInteger schedulers = new AtomicInteger();
  private final Thread thread = Thread.ofPlatform().name("scheduler journal").unstarted(this::run);
  private volatile boolean closed;
  private boolean broken;

  /**
   * Begins a journal. A file that is there already is kept beside it, as {@code <file>.previous}.
   *
   * @throws IOException if the file cannot be written
   */
  public static SchedulerJournal open(Path path) throws IOException {
    if (Files.exists(path)) {
      Path previous = path.resolveSibling(path.getFileName() + ".previous");
      Files.move(path, previous, StandardCopyOption.REPLACE_EXISTING);
    }
    OutputStream file = Files.newOutputStream(path);
    file.write(RecordForm.magic());
    return start(file, CAPACITY);
  }

  /**
   * A journal that goes.
   *
   * @param file closed with the journal
   * @param capacity decisions that may wait; a power of two
   */
  static SchedulerJournal start(OutputStream file, int capacity) {
    var journal = new SchedulerJournal(file, capacity);
    journal.thread.start();
    return journal;
  }

  private SchedulerJournal(OutputStream file, int capacity) {
    this.file = file;
    this.ring = new RecordRing(capacity, this::take);
  }

  @Override
  public SchedulingPolicy policy(
      ModelKey model, ModelConfig config, int instances, int capacity, BatchingRule rule) {
    var log = new SchedulerLog(schedulers.getAndIncrement(), model);
    logs.add(log);
    var started =
        new SchedulerStarted(
            log.scheduler,
            model,
            config.scheduling(),
            config.maxBatchSize(),
            capacity,
            instances,
            !rule.equals(BatchingRule.ALL));
    while (!ring.offer(started)) { // nobody's request waits for it: a model is being loaded
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return new RecordedPolicy(
        log.scheduler,
        rule,
        noted -> SchedulingPolicies.of(config.scheduling(), config.maxBatchSize(), capacity, noted),
        log::add);
  }

  /** What has become of one scheduler's decisions. */
  private final class SchedulerLog {
    final int scheduler;
    final ModelKey model;

    /** Decisions that found no room; written by one thread at a time. */
    final AtomicLong lost = new AtomicLong();

    /** Whether the file says that decisions are missing. */
    boolean incomplete;

    SchedulerLog(int scheduler, ModelKey model) {
      this.scheduler = scheduler;
      this.model = model;
    }

    void add(Decision decision) {
      if (lost.getPlain() != 0 || !ring.offer(decision)) { // what follows a gap tells nothing
        lost.incrementAndGet();
      }
    }
  }

  private void run() {
    while (!closed) {
      if (!writeAll()) {
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    writeAll();
    for (SchedulerLog log : logs) {
      if (log.incomplete) {
        take(new Incomplete(log.scheduler, log.lost.get()));
      }
    }
    take(new Closed());
    flush();
  }

  /** Writes what is there; false if there was nothing. */
  private boolean writeAll() {
    List<SchedulerLog> gaps =
        logs.stream().filter(log -> log.lost.get() != 0 && !log.incomplete).toList();
    ring.drain(); // all that was handed over before a gap was seen above
    gaps.forEach(this::noteGap);
    return flush();
  }

  private void noteGap(SchedulerLog log) {
    log.incomplete = true;
    take(new Incomplete(log.scheduler, log.lost.get()));
    LOG.log(
        Level.WARNING,
        "the scheduler journal cannot keep up: decisions on model ''{0}'' are missing from here on",
        log.model);
  }

  private void take(JournalRecord record) {
    form.write(record, bytes);
    if (bytes.size() >= WRITE_SIZE) {
      flush();
    }
  }

  private boolean flush() {
    int size = bytes.size();
    bytes.clear();
    if (size == 0 || broken) {
      return false;
    }
    try {
      file.write(bytes.array(), 0, size);
    } catch (IOException failed) {
      broken = true;
      LOG.log(Level.ERROR, "the scheduler journal breaks off: it cannot be written", failed);
    }
    return true;
  }

  /** Writes what there is, and ends the journal; after the schedulers. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    try {
      file.close();
    } catch (IOException failed) {
      LOG.log(Level.ERROR, "the scheduler journal cannot be closed", failed);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
