package io.nereid.engine.thread;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A call of code that may not return, on a daemon thread of its own. If it takes too long, the
 * thread is interrupted and left behind.
 */
public final class BoundedCall {
  private BoundedCall() {}

  /**
   * Waits for what the call returns.
   *
   * @param thread the thread's name
   * @param late takes what the call returns after the limit, on its thread
   * @throws ExecutionException what the call has thrown
   * @throws TimeoutException if it has not returned within the limit
   * @throws InterruptedException if the waiting thread is interrupted; the call is left behind, too
   */
  public static <T> T run(String thread, Duration limit, Callable<T> call, Consumer<T> late)
      throws ExecutionException, TimeoutException, InterruptedException {
    var result = new CompletableFuture<T>();
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .name(thread)
            .start(() -> {
              try {
                T value = call.call();
                if (!result.complete(value)) {
                  late.accept(value);
                }
              } catch (Throwable thrown) { // also an Error: the other thread waits
                result.completeExceptionally(thrown);
              }
            });
    try {
      return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | InterruptedException ended) {
      if (result.completeExceptionally(ended)) {
        caller.interrupt();
        throw ended;
      }
      return result.get(); // it has returned meanwhile
    }
  }
}
