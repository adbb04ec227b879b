package io.nereid.engine.telemetry.trace.file;

import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceSampler;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A writer of traces to files, as Triton's names them:
 *
 * <ul>
 *   <li>with a log frequency of n, each n traces to {@code <file>.0}, {@code <file>.1} and so on;
 *   <li>with a count, all of its traces to such a file, once they are complete;
 *   <li>otherwise each trace to {@code <file>}, as it comes.
 * </ul>
 *
 * <p>When settings are replaced, or the server stops, the traces that wait are written: to the next
 * numbered file if there is a log frequency, else to {@code <file>}. A file is JSON after every
 * write. One thread writes. Traces wait for it in a bounded queue; what finds it full is dropped,
 * and so is what finds the files at a limit, until there is room again.
 */
public final class TraceWriter implements TraceSink {
  private static final System.Logger LOG = System.getLogger(TraceWriter.class.getName());

  /** The requests whose traces may wait for the thread. */
  static final int CAPACITY = 1024;

  /** The characters of traces that wait for others; more are written without them. */
  static final int MAX_BUFFERED = 16 << 20;

  /** The time that the last traces have to be written. */
  private static final long STOP_SECONDS = 10;

  private interface Task {
    void run() throws IOException;
  }

  /** The traces of one sampler that are not written yet. */
  private static final class Buffer {
    final StringBuilder json = new StringBuilder();

    /** The requests in it. */
    long requests;

    /** The requests that were in it so far. */
    long collected;
  }

  private final TraceFile file;
  private final TraceJson json;
  private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong waitingCharacters = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final IdentityHashMap<TraceSampler, Buffer> buffers = new IdentityHashMap<>();
  private final ThreadGuard guard = new ThreadGuard("trace writer");
  private final Thread thread =
      Thread.ofPlatform().name("trace writer").daemon().unstarted(this::run);

  /** Whether a write has failed; for the thread. */
  private boolean broken;

  /** Whether the last task has begun; for the thread. */
  private boolean stopped;

  /** Whether the files have reached a limit; for the thread. */
  private boolean full;

  private TraceWriter(TraceDestination.Files files, long originNanos) {
    this.file = new TraceFile(files);
    this.json = new TraceJson(originNanos);
  }

  /**
   * Starts the thread.
   *
   * @param files their path may be empty, and then nothing comes
   * @param originNanos the machine's monotonic time at 0 of the clock of arrival times
   */
  public static TraceWriter start(TraceDestination.Files files, long originNanos) {
    TraceWriter writer = stopped(files, originNanos);
    writer.thread.start();
    return writer;
  }

  /** A writer whose thread has not been started. */
  static TraceWriter stopped(TraceDestination.Files files, long originNanos) {
    return new TraceWriter(files, originNanos);
  }

  @Override
  public void collected(TraceSampler sampler, List<RequestTrace> traces) {
    long characters = traces.isEmpty() ? 0 : traces.getFirst().characters();
    int requests = waiting.incrementAndGet();
    long all = waitingCharacters.addAndGet(characters);
    if (requests <= CAPACITY && (all <= MAX_BUFFERED || requests == 1)) {
      tasks.add(() -> {
        waiting.decrementAndGet();
        waitingCharacters.addAndGet(-characters);
        add(sampler, traces);
      });
      return;
    }
    waiting.decrementAndGet();
    waitingCharacters.addAndGet(-characters);
    sampler.drop();
    if (dropped.getAndIncrement() == 0) {
      LOG.log(
          Level.WARNING,
          "a trace was dropped, since {0} wait to be written; so will others, without a line",
          requests - 1);
    }
  }

  @Override
  public void replaced(TraceSampler sampler) {
    tasks.add(() -> flush(sampler));
  }

  @Override
  public Dropped dropped() {
    return new Dropped("traces", dropped.get());
  }

  private void run() {
    try {
      while (!stopped) {
        handle(tasks.take());
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Handles what waits, on the caller's thread in place of the writer's. */
  void handleAll() {
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      handle(task);
    }
  }

  private void handle(Task task) {
    try {
      task.run();
    } catch (IOException failed) {
      if (!broken) {
        broken = true;
        LOG.log(Level.ERROR, "failed creating trace file: " + IoReason.withPath(failed));
      }
    } catch (Throwable bug) { // the other traces must still be written
      guard.failed(bug);
    }
  }

  private void add(TraceSampler sampler, List<RequestTrace> traces) throws IOException {
    Buffer buffer = buffers.computeIfAbsent(sampler, _ -> new Buffer());
    json.write(buffer.json, traces);
    buffer.requests++;
    buffer.collected++;
    boolean full = sampler.logFrequency() > 0 && buffer.requests >= sampler.logFrequency();
    if (full || sampler.isExhausted(buffer.collected)) {
      write(buffer, true);
    } else if (sampler.isReplaced()) {
      flush(sampler);
    } else if (buffer.json.length() > MAX_BUFFERED
        || (sampler.logFrequency() == 0 && sampler.isUnlimited())) {
      write(buffer, sampler.logFrequency() > 0);
    }
  }

  /** Writes what waits, and forgets the sampler. */
  private void flush(TraceSampler sampler) throws IOException {
    Buffer buffer = buffers.remove(sampler);
    if (buffer != null && buffer.requests > 0) {
      write(buffer, sampler.logFrequency() > 0);
    }
  }

  private void write(Buffer buffer, boolean numbered) throws IOException {
    byte[] traces = buffer.json.toString().getBytes(StandardCharsets.UTF_8);
    long requests = buffer.requests;
    buffer.json.setLength(0);
    buffer.requests = 0;
    boolean isWritten = false;
    try {
      Optional<String> reached = file.reached(traces.length, numbered);
      reportFull(reached);
      if (reached.isPresent()) {
        return;
      }
      if (numbered) {
        file.writeNext(traces);
      } else {
        file.append(traces);
      }
      isWritten = true;
    } finally {
      if (!isWritten) {
        dropped.addAndGet(requests);
      }
    }
  }

  private void reportFull(Optional<String> reached) {
    if (reached.isPresent() && !full) {
      LOG.log(
          Level.WARNING,
          "{0}; traces are dropped until some files are moved or deleted",
          reached.get());
    }
    full = reached.isPresent();
  }

  @Override
  public void close() {
    tasks.add(() -> {
      stopped = true;
      for (TraceSampler sampler : List.copyOf(buffers.keySet())) {
        flush(sampler);
      }
      file.close();
    });
    try {
      if (!thread.join(Duration.ofSeconds(STOP_SECONDS))) {
        LOG.log(Level.WARNING, "traces were still being written after {0} s", STOP_SECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (dropped.get() > 0) {
      LOG.log(Level.WARNING, "traces of {0} requests were dropped", dropped.get());
    }
  }
}
