package io.nereid.client.rest;

import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that its caller's thread makes and waits for. By the JDK's {@link HttpClient#send}, which
 * starts on that thread and wakes it itself, where {@code sendAsync} does both by another one. What
 * ends it early is an interrupt of the thread.
 */
final class CallerThreadCall {
  private final CallDeadlines.OpenCall open;
  private final Thread caller = Thread.currentThread();

  /** Written under the lock, before {@link #isOver}. */
  private @Nullable Supplier<NereidException> why;

  private boolean isOver;

  /** A call of this thread. */
  CallerThreadCall(CallContext context, Supplier<String> asked) {
    open = new CallDeadlines.OpenCall(context, asked, this::end);
  }

  CallDeadlines.OpenCall open() {
    return open;
  }

  private synchronized void end(Supplier<NereidException> reason) {
    if (!isOver && why == null) {
      why = reason;
      caller.interrupt();
    }
  }

  /** What sends the request, which has the time that is left, and waits for the response. */
  interface Sending {
    HttpBody send() throws IOException, InterruptedException;
  }

  /** Makes it, once there is a connection for it. */
  HttpBody run(ConnectionLimit limit, Sending sending) {
    try {
      if (!limit.tryAcquire()) {
        await(limit);
      }
      try {
        if (open.context().nanosLeft() <= 0) {
          throw open.late();
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        return sending.send();
      } finally {
        limit.release();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (IOException | IllegalArgumentException e) {
      throw failed(e);
    } finally {
      over();
    }
  }

  private static void await(ConnectionLimit limit) throws InterruptedException {
    CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
    BooleanSupplier start = () -> turn.complete(null);
    limit.acquire(start);
    try {
      turn.get();
    } catch (InterruptedException e) {
      limit.forget(start);
      if (!turn.cancel(false)) {
        limit.release();
      }
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a limit fails no call", e);
    }
  }

  private NereidException failed(Exception thrown) {
    Throwable cause = thrown.getCause();
    // the JDK wraps what it got in one of these, for this thread's stack
    boolean isWrapper =
        thrown.getClass() == IOException.class
            || thrown.getClass() == IllegalArgumentException.class;
    Throwable failure = isWrapper && cause != null ? cause : thrown;
    if (failure instanceof ClosedByInterruptException) {
      return interrupted(thrown);
    }
    over();
    return why != null ? why.get() : open.failure(failure);
  }

  private NereidException interrupted(Exception thrown) {
    over();
    if (why != null) {
      return why.get();
    }
    caller.interrupt();
    return new NereidException(
        ErrorCode.CANCELLED, open.asked(), Sentences.INTERRUPTED, open.isSent(), null, thrown);
  }

  /** From now on it is not interrupted from here; an interrupt that came is taken back. */
  private synchronized void over() {
    if (!isOver) {
      isOver = true;
      if (why != null) {
        Thread.interrupted();
      }
    }
  }
}
