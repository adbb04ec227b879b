package io.nereid.client.engine;

import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidException;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.ModelResponses;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The responses to one request for one subscriber. A virtual thread takes those that the subscriber
 * has requested, and calls it; the others wait in the engine, which fails the request if there are
 * more than {@link ModelResponses#MAX_WAITING}.
 */
final class EngineStream implements Flow.Subscription {
  private final EngineTransport transport;
  private final InferRequest request;
  private final CallContext context;
  private final Flow.Subscriber<? super InferResponse> subscriber;
  private final Runnable onClose = this::closed;

  private long demanded;
  private boolean isCancelled;
  private @Nullable NereidException failure;
  private @Nullable Thread thread;

  EngineStream(
      EngineTransport transport,
      InferRequest request,
      CallContext context,
      Flow.Subscriber<? super InferResponse> subscriber) {
    this.transport = transport;
    this.request = request;
    this.context = context;
    this.subscriber = subscriber;
  }

  void start(ModelRequest made) {
    subscriber.onSubscribe(this);
    EngineTransport.THREADS.execute(() -> run(made));
  }

  private void run(ModelRequest made) {
    synchronized (this) {
      if (isCancelled) {
        return;
      }
      thread = Thread.currentThread();
      if (failure != null) {
        thread.interrupt(); // the subscriber has erred already
      }
    }
    transport.begun(onClose);
    @Nullable Throwable failed = null;
    try (ModelResponses responses = transport.engine().stream(made)) {
      Optional<ModelResponse> next = responses.next(); // before the demand: the end needs none
      while (next.isPresent()) {
        try (ModelResponse response = next.get()) {
          if (!awaitDemand()) {
            break;
          }
          publish(transport.response(request, response));
        }
        next = responses.next();
      }
    } catch (Throwable thrown) { // also of the subscriber, and an interrupt that ends the wait
      failed = thrown;
    }
    end(failed);
  }

  /** Waits until a response is wanted; false if none is any more. */
  private synchronized boolean awaitDemand() throws InterruptedException {
    while (demanded == 0 && !isOver()) {
      wait();
    }
    demanded--;
    return !isOver();
  }

  private boolean isOver() {
    return isCancelled || failure != null;
  }

  private void publish(InferResponse response) {
    synchronized (this) {
      if (isOver()) {
        return;
      }
    }
    subscriber.onNext(response);
  }

  private void end(@Nullable Throwable failed) {
    transport.ended(onClose);
    NereidException told;
    synchronized (this) {
      thread = null;
      var _ = Thread.interrupted(); // that of a cancellation
      if (isCancelled) {
        return;
      }
      isCancelled = true;
      told = failure;
    }
    if (told == null && failed != null) {
      told =
          failed instanceof NereidException known
              ? known
              : EngineFailures.of(failed, transport.asked(request), context);
    }
    if (told == null) {
      subscriber.onComplete();
    } else {
      subscriber.onError(told);
    }
  }

  @Override
  public synchronized void request(long count) {
    if (count <= 0) {
      fail(
          new NereidException(
              ErrorCode.INVALID_ARGUMENT,
              transport.asked(request),
              "the subscriber has requested %d responses".formatted(count),
              /* mayHaveRun= */ true,
              null,
              null));
      return;
    }
    demanded = demanded + count < 0 ? Long.MAX_VALUE : demanded + count;
    notifyAll();
  }

  @Override
  public synchronized void cancel() {
    isCancelled = true;
    wake();
  }

  private synchronized void closed() {
    fail(transport.closed(request, /* mayHaveRun= */ true));
  }

  private synchronized void fail(NereidException reason) {
    failure = reason;
    wake();
  }

  private synchronized void wake() {
    notifyAll();
    if (thread != null && !thread.equals(Thread.currentThread())) {
      thread.interrupt();
    }
  }
}
