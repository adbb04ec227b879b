package io.nereid.client;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The responses to one request as they come; used by one thread, but for {@link #close}. The server
 * is asked for few more than are taken, so it waits for a slow reader.
 *
 * <pre>{@code
 * try (ResponseStream<InferResponse> responses = client.stream(request)) {
 *   for (InferResponse response : responses) {
 *     use(response);
 *   }
 * }
 * }</pre>
 */
public final class ResponseStream<T> implements Iterable<T>, AutoCloseable {
  private static final int AHEAD = 16;

  private final String asked;
  private final BlockingQueue<Event<T>> arrived = new LinkedBlockingQueue<>();
  private final Receiver receiver = new Receiver();
  private volatile @Nullable Event<T> next;
  private int taken;

  /** A response, or a failure, or if it is neither the end. */
  private record Event<T>(@Nullable T item, @Nullable Throwable failure) {}

  /**
   * Subscribes to a publisher.
   *
   * @param asked what is asked of it
   */
  ResponseStream(Flow.Publisher<T> publisher, String asked) {
    this.asked = asked;
    publisher.subscribe(receiver);
  }

  /**
   * Waits for the next response, or the end.
   *
   * @throws NereidException if the call has failed, or if this thread is interrupted
   */
  public boolean hasNext() {
    Event<T> current = next == null ? take() : next;
    next = current;
    if (current.failure != null) {
      throw current.failure instanceof NereidException known
          ? known.here()
          : failure(ErrorCode.INTERNAL, current.failure.toString(), current.failure);
    }
    return current.item != null;
  }

  private Event<T> take() {
    try {
      return arrived.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      receiver.cancel();
      return new Event<>(null, failure(ErrorCode.CANCELLED, Sentences.INTERRUPTED, e));
    }
  }

  private NereidException failure(ErrorCode code, String sentence, Throwable cause) {
    return new NereidException(code, asked, sentence, true, null, cause);
  }

  /**
   * By {@link #hasNext} and {@link #next}: each response comes once, however often one iterates.
   */
  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return ResponseStream.this.hasNext();
      }

      @Override
      public T next() {
        return ResponseStream.this.next();
      }
    };
  }

  /**
   * As {@link #hasNext}, then the response.
   *
   * @throws NoSuchElementException at the end
   */
  public T next() {
    Event<T> current = hasNext() ? next : null;
    T item = current == null ? null : current.item;
    if (item == null) {
      throw new NoSuchElementException("the stream has no more responses");
    }
    next = null;
    if (++taken % (AHEAD / 2) == 0) {
      receiver.request(AHEAD / 2);
    }
    return item;
  }

  /**
   * Cancels the call, unless it is over. Further responses are dropped; a thread that waits for the
   * next one finds the end.
   */
  @Override
  public void close() {
    receiver.cancel();
    Event<T> end = new Event<>(null, null);
    arrived.clear();
    arrived.add(end);
    next = end;
  }

  private final class Receiver implements Flow.Subscriber<T> {
    private volatile Flow.@Nullable Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(AHEAD);
    }

    void request(long count) {
      Flow.Subscription current = subscription;
      if (current != null) {
        current.request(count);
      }
    }

    void cancel() {
      Flow.Subscription current = subscription;
      if (current != null) {
        current.cancel();
      }
    }

    @Override
    public void onNext(T item) {
      arrived.add(new Event<>(item, null));
    }

    @Override
    public void onError(Throwable failure) {
      arrived.add(new Event<>(null, failure));
    }

    @Override
    public void onComplete() {
      arrived.add(new Event<>(null, null));
    }
  }
}
