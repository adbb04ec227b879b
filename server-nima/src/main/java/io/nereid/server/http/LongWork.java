package io.nereid.server.http;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Platform threads for work on a request that takes milliseconds, such as unpacking or parsing a
 * large body. A connection's virtual thread keeps its processor until it blocks, so as many large
 * requests as there are processors would hold up all others; the operating system divides the
 * processors between platform threads. Thread-safe.
 */
final class LongWork {
  /** Bytes that take about half a millisecond to unpack, parse or write. */
  static final int LEAST = 256 << 10;

  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  /**
   * @param processors the number of threads at most; they end when they are idle
   */
  LongWork(int processors) {
    threads =
        new ThreadPoolExecutor(
            processors,
            processors,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // bounded by the connections, each of which waits for one
            Thread.ofPlatform().daemon().name("http long work ", 0).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /** Work on a request. */
  interface Work<T> {
    T run() throws IOException;
  }

  /**
   * Runs work on {@code byteSize} bytes: by this thread if it is short, else by another one, for
   * which this thread waits. An interrupt does not end the wait, since the work uses the caller's
   * memory.
   */
  <T> T call(long byteSize, Work<T> work) throws IOException {
    if (byteSize < LEAST) {
      return work.run();
    }
    var task = new FutureTask<>(work::run);
    threads.execute(task);
    return result(task);
  }

  private static <T> T result(FutureTask<T> task) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } catch (ExecutionException failed) {
      switch (Objects.requireNonNull(failed.getCause())) {
        case IOException thrown -> throw thrown;
        case RuntimeException thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case Throwable thrown -> throw new IllegalStateException(thrown);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
