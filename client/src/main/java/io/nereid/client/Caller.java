package io.nereid.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a client makes its calls: over which transport, how often, how long, and with which headers.
 *
 * @param headers lower case names
 * @param sequenceHeader the name of the header with the id of a request's sequence; empty for none
 */
record Caller(
    ClientTransport transport,
    RetryPolicy retries,
    Duration deadline,
    Map<String, String> headers,
    String sequenceHeader) {
  /** What a transport must know of a call that begins now. */
  CallContext context(@Nullable Duration own, Map<String, String> more) {
    Map<String, String> all = headers;
    if (!more.isEmpty()) {
      all = new LinkedHashMap<>(headers);
      all.putAll(more);
    }
    Duration time = own == null ? deadline : own;
    return new CallContext(System.nanoTime() + Arguments.nanos(time), time, all);
  }

  /** Asks for something that may be asked for again. */
  <R extends @Nullable Object> CompletableFuture<R> ask(Function<CallContext, Call<R>> call) {
    return Attempts.start(retries, true, context(null, Map.of()), call);
  }

  /** Does something that is done once. */
  CompletableFuture<@Nullable Void> change(Function<CallContext, Call<@Nullable Object>> call) {
    return Attempts.<@Nullable Void>start(
        retries,
        false,
        context(null, Map.of()),
        context -> call.apply(context).<@Nullable Void>map("", tree -> null));
  }

  /** Asks whether something is so, once; what cannot be asked is not so. */
  CompletableFuture<Boolean> check(Function<CallContext, Call<Boolean>> call) {
    Call<Boolean> answer = new Call<>();
    Call<Boolean> asked = call.apply(context(null, Map.of()));
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
    return answer;
  }

  private static boolean isNo(NereidException failure) {
    return switch (failure.code()) {
      case UNAVAILABLE, NOT_FOUND, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }

  /** Waits for a call. An interrupt cancels it. */
  <R extends @Nullable Object> R await(CompletableFuture<R> call) {
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
