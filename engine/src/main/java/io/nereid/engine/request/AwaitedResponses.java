package io.nereid.engine.request;

import io.nereid.engine.telemetry.ExecutionObserver;
import io.nereid.error.InferenceException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A receiver for a thread, usually a virtual one, that takes any number of responses one after
 * another. Responses wait here until they are taken; a request whose thread is too slow is
 * cancelled.
 *
 * <pre>{@code
 * try (var responses = new AwaitedResponses(waiting, times)) {
 *   engine.submit(model, version, request, responses.promise(), left);
 *   for (var next = responses.take(left); next != null; next = responses.take(left)) {
 *     ...
 *   }
 * }
 * }</pre>
 */
public final class AwaitedResponses implements ResponseReceiver, AutoCloseable {
  /**
   * The limit of what waits. May be called by any thread, one at a time, and must not call back.
   */
  public interface Waiting {
    /**
     * Counts a response that waits from now on.
     *
     * @throws InferenceException if too much waits: the response is dropped, not counted, and the
     *     request ends with this failure
     */
    void add(InferenceResponse response);

    /** A response is taken, or dropped. */
    void remove(InferenceResponse response);
  }

  private final Thread taker = Thread.currentThread();
  private final ResponsePromise promise = new ResponsePromise(this);
  private final Waiting waiting;
  private final ExecutionObserver times;
  private final Queue<InferenceResponse> responses = new ArrayDeque<>();

  /** Whether no further response comes; guarded by this, as the fields below. */
  private boolean ended;

  /** Whether what comes is dropped. */
  private boolean closed;

  /** Why the request has failed; null if it has not. */
  private @Nullable InferenceException failure;

  /** Why this class has cancelled the request; null if it has not. */
  private @Nullable InferenceException stopped;

  private boolean rejected;

  /** A receiver of a request whose times are of no interest. */
  public AwaitedResponses(Waiting waiting) {
    this(waiting, ExecutionObserver.IGNORED);
  }

  /**
   * @param times told when the request was executed
   */
  public AwaitedResponses(Waiting waiting, ExecutionObserver times) {
    this.waiting = waiting;
    this.times = times;
  }

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    times.executed(queueNanos, inputNanos + inferNanos + outputNanos);
  }

  /** The outcome of the request that is to be submitted. */
  public ResponsePromise promise() {
    return promise;
  }

  @Override
  public void next(InferenceResponse response) {
    try {
      add(response, false);
    } catch (InferenceException tooMuch) {
      response.close();
      stop(tooMuch);
    }
  }

  /** Cancels the request; {@code reason} replaces the failure. */
  private void stop(InferenceException reason) {
    synchronized (this) {
      stopped = reason;
    }
    promise.cancel();
  }

  @Override
  public void answer(InferenceResponse response) {
    try {
      add(response, true);
    } catch (InferenceException tooMuch) {
      response.close();
      fail(tooMuch);
    }
  }

  private void add(InferenceResponse response, boolean last) {
    boolean isDropped;
    synchronized (this) {
      isDropped = closed;
      if (!isDropped) {
        waiting.add(response);
        responses.add(response);
      }
      ended |= last;
    }
    if (isDropped) {
      response.close();
    }
    LockSupport.unpark(taker);
  }

  @Override
  public void complete() {
    end(null, false);
  }

  @Override
  public void fail(InferenceException reason) {
    end(reason, false);
  }

  @Override
  public void reject(InferenceException reason) {
    end(reason, true);
  }

  private void end(@Nullable InferenceException reason, boolean isRejected) {
    synchronized (this) {
      ended = true;
      failure = reason == null || stopped == null ? reason : stopped;
      rejected = isRejected;
    }
    LockSupport.unpark(taker);
  }

  /**
   * Waits for the next response. Called by the thread that made this object; if it is interrupted,
   * the request is cancelled.
   *
   * @param nanos the request is cancelled too if that time has passed; {@link Long#MAX_VALUE} for
   *     any time
   * @return owned by the caller; null once the request has ended
   * @throws InferenceException the failure, behind all responses that came before it
   */
  public @Nullable InferenceResponse take(long nanos) {
    promise.await(nanos, this::isReady);
    return poll();
  }

  private synchronized boolean isReady() {
    return ended || !responses.isEmpty();
  }

  /** Whether {@link #take} would return a response at once. */
  public synchronized boolean hasNext() {
    return !responses.isEmpty();
  }

  private synchronized @Nullable InferenceResponse poll() {
    InferenceResponse next = responses.poll();
    if (next != null) {
      waiting.remove(next);
    } else if (failure != null) {
      throw failure;
    }
    return next;
  }

  /** Whether the failure is that the request never was queued. */
  public synchronized boolean isRejected() {
    return rejected;
  }

  /** Cancels the request unless it has ended, and drops what was not taken. */
  @Override
  public void close() {
    promise.cancel();
    List<InferenceResponse> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(responses);
      responses.clear();
      left.forEach(waiting::remove);
    }
    left.forEach(InferenceResponse::close); // a backend may have given the memory of an output
  }
}
