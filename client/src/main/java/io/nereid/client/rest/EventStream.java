package io.nereid.client.rest;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way to a subscriber, who gets what it requests, from one thread at a time. While
 * events wait for it, no more is read from the connection. A failure is told at once; the end,
 * after all events.
 */
final class EventStream<T> implements Flow.Subscription {
  private final Flow.Subscriber<? super T> subscriber;
  private final Function<String, T> reading;
  private final Queue<String> events = new ArrayDeque<>();
  private Flow.@Nullable Subscription connection;
  private @Nullable Runnable abort;
  private @Nullable Throwable failure;
  private long demand;
  private boolean isReading;
  private boolean hasEnded;
  private boolean isDelivering;
  private boolean isOver;

  /**
   * A stream without events.
   *
   * @param reading makes an item of an event's data; what it throws ends the stream
   */
  EventStream(Flow.Subscriber<? super T> subscriber, Function<String, T> reading) {
    this.subscriber = subscriber;
    this.reading = reading;
  }

  /** States how the call is given up; if the subscriber has cancelled, it is at once. */
  void onCancel(Runnable action) {
    boolean now;
    synchronized (this) {
      abort = action;
      now = isOver;
    }
    if (now) {
      action.run();
    }
  }

  /** Where the events come from, a piece for each request. */
  void connect(Flow.Subscription given) {
    synchronized (this) {
      connection = given;
    }
    deliver();
  }

  /** Another event; further ones of the same piece may follow. */
  synchronized void add(String event) {
    events.add(event);
  }

  /** The piece that was requested has been read. */
  void wasRead() {
    synchronized (this) {
      isReading = false;
    }
    deliver();
  }

  /** No more events come. {@code reason}: null if all have come. The first end counts. */
  void end(@Nullable Throwable reason) {
    synchronized (this) {
      if (hasEnded) {
        return;
      }
      hasEnded = true;
      failure = reason;
    }
    deliver();
  }

  @Override
  public void request(long count) {
    if (count <= 0) {
      fail(new IllegalArgumentException("the subscriber has requested " + count + " events"));
      return;
    }
    synchronized (this) {
      demand = Math.max(demand, demand + count);
    }
    deliver();
  }

  private void fail(Throwable reason) {
    end(reason);
    abort();
  }

  @Override
  public void cancel() {
    synchronized (this) {
      isOver = true;
    }
    abort();
  }

  private void abort() {
    Runnable action;
    synchronized (this) {
      action = abort;
    }
    if (action != null) {
      action.run();
    }
  }

  /** Does all that can be done now. One thread does; what others change meanwhile, it sees. */
  private void deliver() {
    while (true) {
      Runnable step;
      synchronized (this) {
        if (isDelivering || isOver) {
          return;
        }
        step = next();
        if (step == null) {
          return;
        }
        isDelivering = true;
      }
      step.run();
      synchronized (this) {
        isDelivering = false;
      }
    }
  }

  private @Nullable Runnable next() {
    Throwable reason = failure;
    Flow.Subscription from = connection;
    if (hasEnded && reason != null) {
      isOver = true;
      return () -> subscriber.onError(reason);
    }
    if (!events.isEmpty()) {
      if (demand == 0) {
        return null;
      }
      demand--;
      String event = events.remove();
      return () -> deliver(event);
    }
    if (hasEnded) {
      isOver = true;
      return subscriber::onComplete;
    }
    if (demand > 0 && !isReading && from != null) {
      isReading = true;
      return () -> from.request(1);
    }
    return null;
  }

  private void deliver(String event) {
    try {
      subscriber.onNext(reading.apply(event));
    } catch (Throwable thrown) {
      fail(thrown); // no such event, or the subscriber failed
    }
  }
}
