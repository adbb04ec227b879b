package io.nereid.client;

import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;

/** Streams that fail at once, for transports. */
public record FailedStream<T>(NereidException failure) implements Flow.Publisher<T> {
  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    SubmissionPublisher<T> none = new SubmissionPublisher<>(Runnable::run, 1);
    none.subscribe(subscriber);
    none.closeExceptionally(failure);
  }
}
