package io.nereid.server.telemetry.access;

import io.nereid.engine.telemetry.refusal.RefusalCounter;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.server.telemetry.logging.ReopenedFile;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The access log. A request that has ended leaves its entry in a bounded queue and goes on; a
 * thread writes what waits ten times a second, or sooner if the queue fills. An entry that finds
 * the queue full is lost, and so are those that cannot be written, as when the disk is full: they
 * are counted, and the log says so once a minute at most. Thread-safe.
 */
public final class AccessLog implements AutoCloseable {
  /** The entries that may wait. */
  static final int CAPACITY = 1 << 14;

  private static final System.Logger LOG = System.getLogger(AccessLog.class.getName());
  private static final String STANDARD_OUTPUT = "-";
  private static final long INTERVAL_NANOS = Duration.ofMillis(100).toNanos();

  /** About how many characters are written at once. */
  private static final int MAX_WRITTEN = 1 << 18;

  /** The time that the last entries have to be written. */
  private static final Duration STOP = Duration.ofSeconds(5);

  private final OutputStream target;
  private final boolean givesIds;
  private final InstantSource time;
  private final LongSupplier clock;
  private final Queue<AccessEntry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder written = new LongAdder();
  private final RefusalCounter unqueued;
  private final RefusalCounter unwritten;
  private final ThreadGuard guard = new ThreadGuard("access log");
  private final Thread thread =
      Thread.ofPlatform().name("access log").daemon().unstarted(this::run);
  private volatile boolean stopping;

  /** Whether the last line may have been written in part: then a line end precedes the next. */
  private boolean torn;

  /** A log whose thread has not been started. */
  AccessLog(OutputStream target, boolean givesIds, InstantSource time, LongSupplier clock) {
    this.target = target;
    this.givesIds = givesIds;
    this.time = time;
    this.clock = clock;
    unqueued = new RefusalCounter(clock);
    unwritten = new RefusalCounter(clock);
  }

  /**
   * Starts the thread.
   *
   * @param file to append to; {@code -} for standard output
   * @param givesIds whether requests have an id from here, which their responses have, too
   * @throws IOException if the file cannot be opened
   */
  public static AccessLog start(String file, boolean givesIds) throws IOException {
    OutputStream target =
        file.equals(STANDARD_OUTPUT)
            ? new FileOutputStream(FileDescriptor.out)
            : ReopenedFile.open(Path.of(file), System::nanoTime);
    var log = new AccessLog(target, givesIds, InstantSource.system(), System::nanoTime);
    log.start();
    return log;
  }

  void start() {
    thread.start();
  }

  /** Whether {@link AccessEntry#giveId} is to be called for each request. */
  public boolean givesIds() {
    return givesIds;
  }

  /** The entry of a request that begins now. */
  public AccessEntry begin(Protocol protocol, String client) {
    return new AccessEntry(protocol, client, time.instant(), clock.getAsLong());
  }

  /** The entry of a request on a stream, which begins now. */
  public AccessEntry begin(AccessEntry stream) {
    AccessEntry entry = begin(stream.protocol, stream.client);
    entry.method = stream.method;
    entry.traceId = stream.traceId;
    entry.requestId = stream.requestId;
    entry.forwardedFor = stream.forwardedFor;
    entry.userAgent = stream.userAgent;
    return entry;
  }

  /** Takes the entry of a request that ends now. */
  public void end(AccessEntry entry) {
    entry.totalNanos = clock.getAsLong() - entry.startNanos;
    int count = waiting.incrementAndGet();
    if (count > CAPACITY) {
      waiting.decrementAndGet();
      unqueued.count(
          Level.WARNING, () -> "access log: a line was lost, since too many waited to be written");
      return;
    }
    entries.add(entry);
    if (count == CAPACITY / 2) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!stopping) {
      LockSupport.parkNanos(this, INTERVAL_NANOS);
      guard.run(this::writeAll);
    }
    guard.run(this::writeAll);
  }

  /** Writes what waits; called by the thread, or in its place. */
  void writeAll() {
    var lines = new StringBuilder();
    int count = 0;
    for (AccessEntry entry = entries.poll(); entry != null; entry = entries.poll()) {
      waiting.decrementAndGet();
      AccessJson.append(lines, entry);
      count++;
      if (lines.length() >= MAX_WRITTEN) {
        write(lines, count);
        lines.setLength(0);
        count = 0;
      }
    }
    if (count > 0) {
      write(lines, count);
    }
  }

  private void write(StringBuilder lines, int count) {
    try {
      if (torn) {
        target.write('\n');
      }
      torn = true;
      target.write(lines.toString().getBytes(StandardCharsets.UTF_8));
      target.flush();
      torn = false;
      written.add(count);
    } catch (Throwable failed) { // also an Error: these lines are lost, and counted
      for (int i = 0; i < count; i++) {
        unwritten.count(Level.ERROR, () -> "access log: a line could not be written: " + failed);
      }
    }
  }

  /** How many lines were written. */
  public long written() {
    return written.sum();
  }

  /** How many lines were lost because too many waited. */
  public long unqueued() {
    return unqueued.sum();
  }

  /** How many lines could not be written. */
  public long unwritten() {
    return unwritten.sum();
  }

  /** Writes what waits, and ends the thread. Later entries are lost. */
  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
    try {
      if (!thread.join(STOP)) {
        LOG.log(Level.WARNING, "the access log was still being written after {0}", STOP);
        return;
      }
      target.close();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException failed) {
      LOG.log(Level.ERROR, "the access log could not be closed", failed);
    }
  }
}
