package io.nereid.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** A subscriber between a transport's stream and another, which tells interceptors of the end. */
record InterceptedStream<T>(OutgoingCall call, Flow.Subscriber<? super T> subscriber)
    implements Flow.Subscriber<T> {
  /** Sends the request of a stream, once interceptors have seen it. */
  static <T> void subscribe(
      OutgoingCall call,
      Caller caller,
      CallContext context,
      Function<CallContext, Flow.Publisher<T>> transport,
      Flow.Subscriber<? super T> subscriber) {
    Flow.Subscriber<T> told = new InterceptedStream<>(call, subscriber);
    try {
      transport.apply(call.begin(caller.interceptors(), context)).subscribe(told);
    } catch (NereidException refusal) {
      new FailedStream<T>(refusal).subscribe(told);
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscriber.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long count) {
            subscription.request(count);
          }

          @Override
          public void cancel() {
            call.end(new CancellationException());
            subscription.cancel();
          }
        });
  }

  @Override
  public void onNext(T item) {
    subscriber.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    call.end(failure);
    subscriber.onError(failure);
  }

  @Override
  public void onComplete() {
    call.end(null);
    subscriber.onComplete();
  }
}
