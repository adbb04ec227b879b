package io.nereid.client;

import java.util.concurrent.Flow;

/** Streams that fail at once, for transports. */
public record FailedStream<T>(NereidException failure) implements Flow.Publisher<T> {
  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    var none = new Subscription();
    subscriber.onSubscribe(none);
    if (!none.isCancelled) {
      subscriber.onError(failure);
    }
  }

  private static final class Subscription implements Flow.Subscription {
    private boolean isCancelled;

    @Override
    public void request(long count) {
      // there is nothing
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }
}
