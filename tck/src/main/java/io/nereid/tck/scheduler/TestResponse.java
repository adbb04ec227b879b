package io.nereid.tck.scheduler;

import io.nereid.error.InferenceException;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The responses of a request so far. The implementer's {@link SchedulerModel} creates it and adds
 * to it, from any thread, with copies on the heap; the test reads it, and may cancel the request.
 *
 * <p>Responses after the end are {@link #violations}.
 */
public final class TestResponse {
  private static final AtomicLong EVENTS = new AtomicLong();
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private final String model;
  private final TestRequest request;
  private final List<Outcome.Outputs> responses = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private @Nullable InferenceException failure;
  private @Nullable Runnable cancellation;

  /** Positions of the first and the last event among the events of all requests; 0: not yet. */
  private long began;

  private long ended;

  /** The responses of a request that was just submitted to {@code model}. */
  public TestResponse(String model, TestRequest request) {
    this.model = model;
    this.request = request;
  }

  /** Sets how the request is cancelled. */
  public synchronized void onCancel(Runnable action) {
    cancellation = action;
  }

  /** Adds a response that is not the last one. */
  public synchronized void next(Outcome.Outputs response) {
    event("a response");
    responses.add(response);
  }

  /** Adds the last response. */
  public synchronized void answer(Outcome.Outputs response) {
    next(response);
    end();
  }

  /** There is no further response. */
  public synchronized void complete() {
    event("an end");
    end();
  }

  /** There is no further response but this failure. */
  public synchronized void fail(InferenceException reason) {
    event("the failure " + reason.reason());
    failure = reason;
    end();
  }

  /** The request's id. */
  public String id() {
    return request.id();
  }

  public TestRequest request() {
    return request;
  }

  public void cancel() {
    Runnable action;
    synchronized (this) {
      action = cancellation;
    }
    if (action == null) {
      throw new IllegalStateException("no way to cancel '%s' was set".formatted(id()));
    }
    action.run();
  }

  /** Whether no further response will come. */
  public synchronized boolean isDone() {
    return ended != 0;
  }

  /** The responses so far. */
  public synchronized List<Outcome.Outputs> responses() {
    return List.copyOf(responses);
  }

  /** The failure, if there is one so far. */
  public synchronized Optional<InferenceException> failure() {
    return Optional.ofNullable(failure);
  }

  /** Whether the last event of this request preceded the first one of {@code other}. */
  public boolean isBefore(TestResponse other) {
    long mine = last();
    return mine != 0 && (other.first() == 0 || mine < other.first());
  }

  /** Events after the end. */
  public synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Waits for the end. */
  public synchronized TestResponse await() {
    long deadline = System.nanoTime() + Polling.maxWait(MAX_WAIT).toNanos();
    try {
      while (ended == 0) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError("%s; %s".formatted(this, Gate.of(model)));
        }
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted, waiting for " + this, stopped);
    }
    return this;
  }

  /** The request and its outcome, without values. */
  @Override
  public synchronized String toString() {
    return "request '%s' of model '%s' has %d responses, failure %s, and %s"
        .formatted(id(), model, responses.size(), failure, ended == 0 ? "no end" : "an end");
  }

  private void event(String what) {
    if (ended != 0) {
      violations.add("%s after the end of '%s'".formatted(what, id()));
    }
    if (began == 0) {
      began = EVENTS.incrementAndGet();
    }
  }

  private void end() {
    ended = EVENTS.incrementAndGet();
    notifyAll();
  }

  private synchronized long first() {
    return began;
  }

  private synchronized long last() {
    return ended;
  }
}
