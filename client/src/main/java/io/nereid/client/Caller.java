package io.nereid.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a client makes its calls: over which transport, how often, how long, and with which headers.
 *
 * @param headers lower case names
 * @param sequenceHeader the name of the header with the id of a request's sequence; empty for none
 * @param executor for what callers do with the results of futures; null for the thread that has the
 *     result
 */
record Caller(
    ClientTransport transport,
    RetryPolicy retries,
    Duration deadline,
    Map<String, String> headers,
    String sequenceHeader,
    List<CallInterceptor> interceptors,
    @Nullable Executor executor) {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  Caller withDeadline(Duration time) {
    return new Caller(transport, retries, time, headers, sequenceHeader, interceptors, executor);
  }

  Caller withHeaders(Map<String, String> all) {
    return new Caller(transport, retries, deadline, all, sequenceHeader, interceptors, executor);
  }

  /** What a transport must know of a call that begins now. */
  CallContext context(@Nullable Duration own, Map<String, String> more) {
    Map<String, String> all = headers;
    if (!more.isEmpty()) {
      all = new LinkedHashMap<>(headers);
      all.putAll(more);
    }
    Duration time = own == null ? deadline : own;
    return new CallContext(System.nanoTime() + Arguments.nanos(time), time, all, null);
  }

  /** A call that is not sent, and is sent again as the client's retries say. */
  Attempts attempts(String operation, String model, boolean mayRunTwice, CallContext context) {
    return new Attempts(this, retries, operation, model, mayRunTwice, context);
  }

  /**
   * Asks for something that may be asked for again.
   *
   * @param operation by the name of the transport's method
   * @param model empty if it concerns none
   */
  <R extends @Nullable Object> CompletableFuture<R> ask(
      String operation, String model, Function<CallContext, Call<R>> call) {
    return handOver(attempts(operation, model, true, context(null, Map.of())).start(call));
  }

  /** Does something that is done once. */
  CompletableFuture<@Nullable Void> change(
      String operation, String model, Function<CallContext, Call<@Nullable Object>> call) {
    return handOver(
        attempts(operation, model, false, context(null, Map.of()))
            .<@Nullable Void>start(
                context -> call.apply(context).<@Nullable Void>map("", tree -> null)));
  }

  /** Asks whether something is so, once; what cannot be asked is not so. */
  CompletableFuture<Boolean> check(
      String operation, String model, Function<CallContext, Call<Boolean>> call) {
    Call<Boolean> answer = new Call<>();
    Call<Boolean> asked =
        new Attempts(this, RetryPolicy.NONE, operation, model, false, context(null, Map.of()))
            .start(call);
    answer.onAbort(() -> asked.cancel(true));
    Call.onEnd(
        asked,
        (isSo, failure) -> {
          if (failure == null) {
            answer.complete(isSo);
          } else if (failure instanceof NereidException known && isNo(known)) {
            answer.complete(false);
          } else {
            answer.completeExceptionally(failure);
          }
        });
    return handOver(answer);
  }

  /** Asks whether something is so, until it is. */
  void awaitSo(
      String operation, String model, Duration time, Function<CallContext, Call<Boolean>> call) {
    long end = System.nanoTime() + Arguments.nanos(Arguments.positive("time", time));
    while (true) {
      String why = "it is not ready";
      NereidException cause = null;
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      CallContext context = context(left.compareTo(deadline) < 0 ? left : deadline, Map.of());
      try {
        if (await(
            new Attempts(this, RetryPolicy.NONE, operation, model, false, context).start(call))) {
          return;
        }
      } catch (NereidException failure) {
        if (!isNo(failure) || failure.sentence().equals(Sentences.CLOSED)) {
          throw failure;
        }
        why = failure.sentence();
        cause = failure;
      }
      if (end - System.nanoTime() <= POLL_NANOS) {
        throw new NereidException(
            ErrorCode.DEADLINE_EXCEEDED,
            "readiness of %s at %s"
                .formatted(
                    model.isEmpty() ? "the server" : "model '" + model + "'", transport.address()),
            Sentences.deadline(time) + ": " + why,
            false,
            null,
            cause);
      }
      try {
        NANOSECONDS.sleep(POLL_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw cancelled(Sentences.INTERRUPTED, e);
      }
    }
  }

  private static boolean isNo(NereidException failure) {
    return switch (failure.code()) {
      case UNAVAILABLE, NOT_FOUND, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }

  /** Publishes the responses of a stream, whose request is sent to each subscriber anew. */
  <T> Flow.Publisher<T> publish(
      String operation,
      String model,
      Supplier<CallContext> contexts,
      Function<CallContext, Flow.Publisher<T>> stream) {
    return subscriber -> {
      CallContext context = contexts.get();
      if (interceptors.isEmpty()) {
        stream.apply(context).subscribe(subscriber);
      } else {
        OutgoingCall shown =
            new OutgoingCall(operation, model, transport.address(), context.headers(), null);
        InterceptedStream.subscribe(shown, this, context, stream, subscriber);
      }
    };
  }

  /** The call for its caller: what that does with the result runs on the client's executor. */
  <R extends @Nullable Object> Call<R> handOver(Call<R> call) {
    return executor == null ? call : call.completedBy(executor);
  }

  /** Waits for a call. An interrupt cancels it. */
  <R extends @Nullable Object> R await(CompletableFuture<R> handedOver) {
    // not by the executor, whose threads may all wait here
    CompletableFuture<R> call = handedOver instanceof Call<R> own ? own.origin() : handedOver;
    try {
      return call.get();
    } catch (InterruptedException e) {
      call.cancel(true);
      Thread.currentThread().interrupt();
      throw cancelled(Sentences.INTERRUPTED, e);
    } catch (CancellationException e) {
      throw cancelled("the call was cancelled", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof NereidException failure) {
        throw failure.here();
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("a failure that is none of a transport", e.getCause());
    }
  }

  private NereidException cancelled(String sentence, Exception cause) {
    return new NereidException(
        ErrorCode.CANCELLED, "a call to " + transport.address(), sentence, true, null, cause);
  }
}
