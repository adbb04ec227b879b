package io.nereid.server.metrics;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A page that many clients may ask for at once. Each gets one whose making has begun after it
 * asked. It is made by a platform thread, once at a time and once in an {@link #INTERVAL} at most;
 * those who ask meanwhile share the next one. So clients that ask all the time take no processor
 * from others. The thread ends when no client waits. Thread-safe.
 */
final class SharedPage {
  /** The shortest time between the beginnings of two pages. */
  static final Duration INTERVAL = Duration.ofMillis(50);

  private final Supplier<byte[]> maker;

  /** The page that those who wait will share; null if none waits. */
  private @Nullable CompletableFuture<byte[]> next;

  /** How many have asked for it. */
  private int waiting;

  private boolean isRunning;

  /** When the thread may begin the next page, by {@code System.nanoTime}. */
  private long dueNanos = System.nanoTime();

  SharedPage(Supplier<byte[]> maker) {
    this.maker = maker;
  }

  /** Waits for a page; not to be changed. */
  byte[] get() {
    CompletableFuture<byte[]> page = join();
    try {
      return page.join();
    } catch (CompletionException failed) {
      switch (failed.getCause()) {
        case RuntimeException bug -> throw bug;
        case Error error -> throw error;
        case null, default -> throw failed;
      }
    }
  }

  private synchronized CompletableFuture<byte[]> join() {
    CompletableFuture<byte[]> page = next;
    if (page == null) {
      page = new CompletableFuture<>();
      if (!isRunning) {
        Thread.ofPlatform().daemon().name("metrics page").start(this::run);
        isRunning = true;
      }
      next = page;
    }
    waiting++;
    return page;
  }

  /** How many wait for a page that is not begun. */
  synchronized int waiting() {
    return waiting;
  }

  private void run() {
    for (var page = await(); page != null; page = await()) {
      try {
        page.complete(maker.get());
      } catch (Throwable failed) { // also an Error: clients wait for this page
        page.completeExceptionally(failed);
      }
    }
  }

  /** Waits until the next page is due, and begins it; null, and the thread ends, if none waits. */
  private @Nullable CompletableFuture<byte[]> await() {
    for (long left = leftNanos(); left > 0; left = leftNanos()) {
      LockSupport.parkNanos(this, left);
    }
    synchronized (this) {
      CompletableFuture<byte[]> page = next;
      next = null;
      waiting = 0;
      isRunning = page != null;
      dueNanos = System.nanoTime() + INTERVAL.toNanos();
      return page;
    }
  }

  /** How long the next page has to wait; 0 if none is to come. */
  private synchronized long leftNanos() {
    return next == null ? 0 : dueNanos - System.nanoTime();
  }
}
