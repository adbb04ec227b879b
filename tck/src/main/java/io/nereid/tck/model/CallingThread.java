package io.nereid.tck.model;

import io.nereid.error.InferenceException;
import io.nereid.tck.execution.Violations;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that calls a backend, as a loader or an instance's thread of the server does:
 * with the backend's context class loader, each call within a limit. A call that does not return is
 * interrupted and given up, and the thread with it.
 *
 * <p>The thread has the name of the rule and the method, so that the report of a crash shows them.
 */
public final class CallingThread implements AutoCloseable {
  private final String rule = RuleLog.current();
  private final ClassLoader classLoader;
  private final Duration limit;
  private final Violations violations;
  private final ExecutorService executor;
  private volatile @Nullable Thread thread;
  private volatile @Nullable String hung;

  /**
   * Creates the thread.
   *
   * @param violations where a changed interrupt flag or context class loader is recorded
   */
  CallingThread(ClassLoader classLoader, Duration limit, Violations violations) {
    this.classLoader = classLoader;
    this.limit = limit;
    this.violations = violations;
    this.executor =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("tck").factory());
  }

  /** Whether a call has not returned, so that no other can be made. */
  public boolean isHung() {
    return hung != null;
  }

  /**
   * Makes a call.
   *
   * @param method of the contract, for messages
   * @throws InferenceException if the call does
   * @throws HungCall if it does not return in time
   * @throws AssertionError that names the method, if the call throws anything else
   */
  public <T extends @Nullable Object> T call(String method, Callable<T> call) {
    if (hung != null) {
      throw new AssertionError("%s is not called: %s hangs".formatted(method, hung));
    }
    Future<T> called = executor.submit(() -> made(method, call));
    try {
      return called.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException tooLong) {
      hung = method;
      Thread caller = thread;
      var where = caller == null ? new StackTraceElement[0] : caller.getStackTrace();
      executor.shutdownNow(); // interrupts it: a thread that sleeps or waits may end
      throw new HungCall(method, limit, where);
    } catch (ExecutionException thrown) {
      switch (thrown.getCause()) {
        case InferenceException failure -> throw failure;
        case AssertionError found -> throw found;
        case null, default ->
            throw new AssertionError(
                "%s throws %s".formatted(method, thrown.getCause()), thrown.getCause());
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
  }

  /** Makes a call without a result. */
  public void run(String method, Runnable call) {
    call(method, Executors.callable(call, true));
  }

  private <T extends @Nullable Object> T made(String method, Callable<T> call) throws Exception {
    Thread caller = Thread.currentThread();
    thread = caller;
    caller.setName("tck " + rule + " " + method);
    caller.setContextClassLoader(classLoader);
    try {
      return call.call();
    } finally {
      if (Thread.interrupted() && hung == null) {
        violations.add("BACKEND-THREAD-05", method + " returns with its thread interrupted");
      }
      if (!classLoader.equals(caller.getContextClassLoader())) {
        violations.add(
            "BACKEND-THREAD-06",
            "%s returns with the context class loader %s"
                .formatted(method, caller.getContextClassLoader()));
      }
    }
  }

  /** Ends the thread, unless it hangs. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
