package io.nereid.engine.scheduling;

import io.nereid.request.ModelKey;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread that decides for a model whose backend has a batching strategy: one that does not
 * return holds up no thread of others, such as an event loop or the clock. It ends when idle for a
 * while.
 */
final class StrategyThread implements Executor {
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor thread;

  StrategyThread(ModelKey key) {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("batching of " + key).factory());
    thread.allowCoreThreadTimeOut(true);
  }

  /** Runs the decision on the thread; on the calling one if none can be started. */
  @Override
  public void execute(Runnable decision) {
    try {
      thread.execute(decision);
    } catch (OutOfMemoryError noThread) {
      decision.run();
    }
  }
}
