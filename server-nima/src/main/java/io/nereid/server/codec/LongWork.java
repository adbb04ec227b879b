package io.nereid.server.codec;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.request.UnexpectedFailures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads for work on requests that takes milliseconds, such as unpacking or parsing a
 * large body, or copying it from shared memory. A virtual thread keeps its processor until it
 * blocks, and an event loop serves many connections, so a few large requests would hold up all
 * others; the operating system divides the processors between platform threads.
 *
 * <p>At most as many tasks run at once as there are processors. Of those that wait, each client's
 * first one is next in turn. A task may {@link #pause}, and continues behind those that wait. So a
 * short task waits neither for all of a long one, nor for all tasks of another client. Thread-safe.
 */
public final class LongWork {
  private static final System.Logger LOG = System.getLogger(LongWork.class.getName());

  /** Bytes that take about half a millisecond to unpack, parse or write. */
  public static final int LEAST = 256 << 10;

  private static final long IDLE_SECONDS = 10;

  /** The tasks that may have paused at once, each of which keeps its thread. */
  private static final int MAX_PAUSED = 64;

  private final int maxRunning;
  private final ThreadPoolExecutor threads;

  /** The tasks that wait, and those that have paused; the client of the next one is first. */
  private final LinkedHashMap<ClientKey, Queue<Turn>> waiting = new LinkedHashMap<>();

  private int running;
  private int paused;

  /**
   * What a waiting task is to do.
   *
   * @param continues whether its own thread waits for this, and does the work
   */
  private record Turn(Runnable action, boolean continues) {}

  /**
   * @param processors the number of tasks that run at once; threads end when they are idle
   */
  public LongWork(int processors) {
    maxRunning = processors;
    threads =
        new ThreadPoolExecutor(
            0,
            2 * processors + MAX_PAUSED, // each that ends still has its thread
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("long work ", 0).factory(),
            new ThreadPoolExecutor.AbortPolicy());
  }

  /** Work on a request. */
  public interface Work<T> {
    T run() throws IOException;
  }

  /**
   * Runs work on {@code byteSize} bytes: by this thread if it is short, else by another one, for
   * which this thread waits. An interrupt does not end the wait, since the work uses the caller's
   * memory.
   */
  public <T> T call(ClientKey client, long byteSize, Work<T> work) throws IOException {
    if (byteSize < LEAST) {
      return work.run();
    }
    var outcome = new CompletableFuture<T>();
    start(
        client,
        () -> {
          try {
            outcome.complete(work.run());
          } catch (Throwable thrown) { // also an Error: the caller's
            outcome.completeExceptionally(thrown);
          }
        });
    try {
      return outcome.join();
    } catch (CompletionException failed) {
      switch (Objects.requireNonNull(failed.getCause())) {
        case IOException thrown -> throw thrown;
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case Throwable thrown -> throw new IllegalStateException(thrown);
      }
    }
  }

  /**
   * Has another thread run a task once it is the client's turn. What the task throws is logged. If
   * the system has no thread left, the present one runs it.
   */
  public void start(ClientKey client, Runnable task) {
    var turn = new Turn(task, false);
    synchronized (this) {
      if (running == maxRunning) {
        add(client, turn);
        return;
      }
      running++;
    }
    begin(turn);
  }

  private void begin(Turn turn) {
    if (turn.continues) {
      turn.action.run();
      return;
    }
    try {
      threads.execute(() -> run(turn));
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      run(turn);
    }
  }

  /** Runs tasks until none waits, or a thread that has paused is next. */
  private void run(Turn first) {
    Turn next = first;
    while (next != null && !next.continues) {
      runLogged(next.action);
      next = end();
    }
    if (next != null) {
      begin(next);
    }
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      var _ = UnexpectedFailures.of(LOG, "long work", thrown);
    }
  }

  /** Lets tasks that wait run before the present one, which is the client's, continues. */
  public void pause(ClientKey client) {
    var gate = new CompletableFuture<@Nullable Void>();
    var turn = new Turn(() -> gate.complete(null), true);
    Turn next;
    synchronized (this) {
      if (waiting.isEmpty() || paused == MAX_PAUSED) {
        return;
      }
      paused++;
      add(client, turn);
      next = Objects.requireNonNull(next());
    }
    begin(next);
    var _ = gate.join();
    synchronized (this) {
      paused--;
    }
  }

  private synchronized @Nullable Turn end() {
    Turn next = next();
    if (next == null) {
      running--;
    }
    return next;
  }

  /** The number of tasks that wait. */
  synchronized int waiting() {
    return waiting.values().stream().mapToInt(Queue::size).sum();
  }

  /** Called with the lock. */
  private void add(ClientKey client, Turn turn) {
    waiting.computeIfAbsent(client, _ -> new ArrayDeque<>()).add(turn);
  }

  /** Removes the first task of the first client, which is the last one then; with the lock. */
  private @Nullable Turn next() {
    Map.Entry<ClientKey, Queue<Turn>> first = waiting.firstEntry();
    if (first == null) {
      return null;
    }
    Turn turn = first.getValue().remove();
    if (first.getValue().isEmpty()) {
      waiting.remove(first.getKey());
    } else {
      waiting.putLast(first.getKey(), first.getValue());
    }
    return turn;
  }
}
