package io.nereid.tck.scheduler;

import io.nereid.error.InferenceException;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a request got so far. The implementer's {@link SchedulerModel} makes it and fills it, from
 * any thread, with copies on the heap; the test reads it, and may call the request off.
 *
 * <p>More answers than a request may have are not lost: they are {@link #violations}.
 */
public final class TestAnswer {
  private static final AtomicLong EVENTS = new AtomicLong();
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

  private final String model;
  private final TestRequest request;
  private final List<Answer.Outputs> responses = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private @Nullable InferenceException failure;
  private @Nullable Runnable cancellation;

  /** When the first and the last word came, among the events of all answers; 0: not yet. */
  private long began;

  private long ended;

  /** The answer of a request that has just been handed to {@code model}. */
  public TestAnswer(String model, TestRequest request) {
    this.model = model;
    this.request = request;
  }

  /** Says how the request is called off. */
  public synchronized void onCancel(Runnable action) {
    cancellation = action;
  }

  /** Takes a response that is not the last one. */
  public synchronized void next(Answer.Outputs response) {
    event("a response");
    responses.add(response);
  }

  /** Takes the last response. */
  public synchronized void answer(Answer.Outputs response) {
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

  /** Calls the request off. */
  public void cancel() {
    Runnable action;
    synchronized (this) {
      action = cancellation;
    }
    if (action == null) {
      throw new IllegalStateException("nobody said how '%s' is called off".formatted(id()));
    }
    action.run();
  }

  /** Whether no further response will come. */
  public synchronized boolean isDone() {
    return ended != 0;
  }

  /** The responses so far. */
  public synchronized List<Answer.Outputs> responses() {
    return List.copyOf(responses);
  }

  /** The failure, if there is one so far. */
  public synchronized Optional<InferenceException> failure() {
    return Optional.ofNullable(failure);
  }

  /** Whether the last word of this answer came before the first one of {@code other}. */
  public boolean isBefore(TestAnswer other) {
    long mine = last();
    return mine != 0 && (other.first() == 0 || mine < other.first());
  }

  /** What came after the end. */
  public synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Waits for the end. */
  public synchronized TestAnswer await() {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
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

  /** The request and what became of it, without values. */
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
