package io.nereid.client.rest;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import java.net.http.HttpRequest;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one client that have not ended. Ends each by its deadline, and all when the client
 * is closed. One timer serves all calls: it stays set for the earliest deadline when that call has
 * ended, so calls that end in time, nearly all, neither set nor cancel one.
 */
final class CallDeadlines {
  private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A call that has not ended, or does so now. Any thread may ask of it, and end it. */
  static final class OpenCall {
    private final CallContext context;
    private final Supplier<String> asked;
    private final Consumer<Supplier<NereidException>> ending;
    private volatile @Nullable HttpRequest request;

    /**
     * A call that is not sent.
     *
     * @param asked what it asks for, and where
     * @param ending ends it with the failure that is made then, unless it has ended; does not wait,
     *     and runs nothing of the caller's
     */
    OpenCall(
        CallContext context, Supplier<String> asked, Consumer<Supplier<NereidException>> ending) {
      this.context = context;
      this.asked = asked;
      this.ending = ending;
    }

    CallContext context() {
      return context;
    }

    String asked() {
      return asked.get();
    }

    /** States the request, which is given to the HTTP client next. */
    void sending(HttpRequest given) {
      request = given;
    }

    /** Whether the server may know of it. */
    boolean isSent() {
      return TensorBody.isSent(request);
    }

    void end(Supplier<NereidException> why) {
      ending.accept(why);
    }

    /** Its failure once its deadline has passed. */
    NereidException late() {
      return context.late(asked(), isSent(), null);
    }

    /** Its failure if there is no response. */
    NereidException failure(Throwable thrown) {
      return Failures.of(thrown, asked(), Failures.isSent(request, thrown));
    }
  }

  /** When calls are looked at next. */
  private record Check(long atNanos, CompletableFuture<Void> timer) {}

  private final Set<OpenCall> calls = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Check next;
  private volatile boolean isClosed;

  /**
   * A call that begins.
   *
   * @return the failure of a call that must not begin, since the client is closed; else null
   */
  @Nullable NereidException add(OpenCall call) {
    calls.add(call);
    if (isClosed) {
      calls.remove(call);
      return closed(call);
    }
    checkAt(call.context().deadlineNanos());
    return null;
  }

  /** A call that has ended. */
  void remove(OpenCall call) {
    calls.remove(call);
  }

  /** Ends all calls; none begins any more. */
  void close() {
    isClosed = true;
    synchronized (this) {
      cancel(next);
      next = null;
    }
    calls.forEach(call -> call.end(() -> closed(call)));
  }

  private static NereidException closed(OpenCall call) {
    return new NereidException(
        ErrorCode.UNAVAILABLE, call.asked(), Sentences.CLOSED, call.isSent(), null, null);
  }

  private static void cancel(@Nullable Check check) {
    if (check != null) {
      check.timer.complete(null);
    }
  }

  private static boolean isBy(@Nullable Check check, long nanos) {
    return check != null && check.atNanos - nanos <= 0;
  }

  /** Makes sure that calls are looked at then, or before. */
  private void checkAt(long nanos) {
    if (isBy(next, nanos)) {
      return;
    }
    synchronized (this) {
      if (isClosed || isBy(next, nanos)) {
        return;
      }
      cancel(next);
      Check check = new Check(nanos, new CompletableFuture<>());
      next = check;
      long delay = Math.max(MIN_DELAY_NANOS, nanos - System.nanoTime());
      Call.onEnd(
          check.timer.orTimeout(delay, NANOSECONDS),
          (nothing, passed) -> {
            if (passed != null) {
              check();
            }
          });
    }
  }

  /** Runs on a thread that the JVM shares. */
  private void check() {
    synchronized (this) {
      // before the calls are looked at: one that is added from now on plans a check of its own
      next = null;
    }
    long now = System.nanoTime();
    long least = Long.MAX_VALUE;
    for (OpenCall call : calls) {
      long left = call.context().deadlineNanos() - now;
      if (left <= 0) {
        call.end(call::late);
      } else {
        least = Math.min(least, left);
      }
    }
    if (least < Long.MAX_VALUE) {
      checkAt(now + least);
    }
  }
}
