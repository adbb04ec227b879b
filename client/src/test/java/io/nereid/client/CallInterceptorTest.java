package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What interceptors see of calls, and what they make of them. */
@Timeout(60)
class CallInterceptorTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();
  private static final InferResponse RESPONSE = new InferResponse("m", "1", "", Map.of(), Map.of());

  /** What happened, in order; by one thread at a time. */
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

  private static ClientBuilder builder(Function<InferRequest, Call<InferResponse>> answers) {
    return new ClientBuilder(URI.create("fake://server"))
        .transport((_, _) -> new FakeTransport(answers))
        .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1)));
  }

  private CallInterceptor named(String name) {
    return call -> {
      seen.add(name + " sees " + call + ", attempt " + call.attempt());
      call.onEnd(failure ->
          seen.add(name + " ends with " + (failure == null ? "success" : failure.code())));
    };
  }

  private static Call<InferResponse> answered() {
    Call<InferResponse> call = new Call<>();
    call.complete(RESPONSE);
    return call;
  }

  private static Call<InferResponse> refusedUnless(AtomicInteger attempts, int last) {
    NereidException full =
        new NereidException(ErrorCode.UNAVAILABLE, "asked", "full", false, Duration.ZERO, null);
    return attempts.incrementAndGet() < last ? Call.failed(full) : answered();
  }

  private static void infer(NereidClient client, boolean waits) {
    if (waits) {
      client.infer(REQUEST);
    } else {
      client.inferAsync(REQUEST).join();
    }
  }

  private static NereidException failure(NereidClient client, boolean waits) {
    if (waits) {
      return catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));
    }
    return (NereidException)
        Objects.requireNonNull(
            catchThrowableOfType(CompletionException.class, () -> client.inferAsync(REQUEST).join())
                .getCause());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachAttemptIsSeenAndItsEndInTheOtherOrder(boolean waits) {
    AtomicInteger attempts = new AtomicInteger();
    try (NereidClient client =
        builder(_ -> refusedUnless(attempts, 2))
            .interceptor(named("a"))
            .interceptor(named("b"))
            .open()) {
      infer(client, waits);
    }

    assertThat(seen)
        .containsExactly(
            "a sees infer of model 'm' at fake://server, attempt 1",
            "b sees infer of model 'm' at fake://server, attempt 1",
            "b ends with UNAVAILABLE",
            "a ends with UNAVAILABLE",
            "a sees infer of model 'm' at fake://server, attempt 2",
            "b sees infer of model 'm' at fake://server, attempt 2",
            "b ends with success",
            "a ends with success");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatOneKeepsIsThereInTheNextAttempt(boolean waits) {
    AtomicInteger attempts = new AtomicInteger();
    @Nullable Thread[] maker = new Thread[1];
    try (NereidClient client =
        builder(_ -> refusedUnless(attempts, 3))
            .interceptor(call -> {
              call.attributes().putIfAbsent("first", Thread.currentThread());
              maker[0] = (Thread) call.attributes().get("first");
            })
            .open()) {
      infer(client, waits);
    }

    assertThat(attempts).hasValue(3);
    assertThat(maker[0]).isEqualTo(Thread.currentThread());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneThatThrowsRefusesTheCallWhichIsNotSentAgain(boolean waits) {
    IllegalStateException open = new IllegalStateException("breaker 'm' is open");
    try (NereidClient client =
        builder(
                _ -> {
                  throw new AssertionError("sent");
                })
            .interceptor(named("a"))
            .interceptor(_ -> {
              throw open;
            })
            .interceptor(named("c"))
            .open()) {
      NereidException failure = failure(client, waits);

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.mayHaveRun()).isFalse();
      assertThat(failure)
          .hasMessage(
              "infer of model 'm' at fake://server: an interceptor has refused the call:"
                  + " java.lang.IllegalStateException: breaker 'm' is open (UNAVAILABLE)")
          .hasCause(open);
    }

    assertThat(seen)
        .containsExactly(
            "a sees infer of model 'm' at fake://server, attempt 1", "a ends with UNAVAILABLE");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAnAttemptThatMayHaveRunARefusedOneSaysSo(boolean waits) {
    NereidException broken =
        new NereidException(ErrorCode.UNAVAILABLE, "asked", "broken", true, null, null);
    InferRequest twice = InferRequest.to("m").mayRunTwice().build();
    try (NereidClient client =
        builder(_ -> Call.failed(broken))
            .interceptor(call -> {
              if (call.attempt() == 2) {
                throw new NereidException(
                    ErrorCode.UNAUTHENTICATED, call.toString(), "no token", false, null, null);
              }
            })
            .open()) {
      NereidException failure =
          (NereidException)
              Objects.requireNonNull(
                  catchThrowableOfType(
                          CompletionException.class,
                          () ->
                              (waits
                                      ? CompletableFuture.supplyAsync(() -> client.infer(twice))
                                      : client.inferAsync(twice))
                                  .join())
                      .getCause());

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
      assertThat(failure.mayHaveRun()).isTrue();
    }
  }

  @Test
  void aCancelledCallEndsCancelled() {
    Call<InferResponse> unanswered = new Call<>();
    try (NereidClient client = builder(_ -> unanswered).interceptor(named("a")).open()) {
      client.inferAsync(REQUEST).cancel(true);
    }

    assertThat(unanswered).isCancelled();
    assertThat(seen).last().isEqualTo("a ends with CANCELLED");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneThatThrowsAtTheEndChangesNothing(boolean waits) {
    try (NereidClient client =
        builder(_ -> answered())
            .interceptor(named("a"))
            .interceptor(call ->
                call.onEnd(failure -> {
                  throw new IllegalStateException("at the end");
                }))
            .open()) {
      infer(client, waits);
    }

    assertThat(seen).last().isEqualTo("a ends with success");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anErrorOfTheTransportEndsTheAttempt(boolean waits) {
    try (NereidClient client =
        builder(
                _ -> {
                  throw new OutOfMemoryError("memory");
                })
            .interceptor(named("a"))
            .open()) {
      assertThatThrownBy(() -> infer(client, waits)).isInstanceOf(OutOfMemoryError.class);
    }

    assertThat(seen).last().isEqualTo("a ends with INTERNAL");
  }

  @Test
  void theFuturesOfCallsAreCompletedByTheExecutor() {
    Call<InferResponse> answer = new Call<>();
    List<Runnable> executor = new ArrayList<>();
    try (NereidClient client = builder(_ -> answer).executor(executor::add).open()) {
      CompletableFuture<InferResponse> future = client.inferAsync(REQUEST);
      CompletableFuture<InferResponse> cancelled = client.inferAsync(REQUEST);
      answer.complete(RESPONSE);
      assertThat(future).isNotDone();
      cancelled.cancel(true);

      executor.forEach(Runnable::run);

      assertThat(future).isCompletedWithValue(RESPONSE);
      assertThat(cancelled).isCancelled();
    }
  }

  @Test
  void aCallThatWaitsAndOneThatIsRejectedDoWithoutTheExecutor() {
    List<Runnable> busy = new ArrayList<>();
    try (NereidClient client = builder(_ -> answered()).executor(busy::add).open()) {
      assertThat(client.sequence("m").infer(REQUEST)).isEqualTo(RESPONSE);
    }
    try (NereidClient client =
        builder(_ -> answered())
            .executor(_ -> {
              throw new RejectedExecutionException("full");
            })
            .open()) {
      assertThat(client.inferAsync(REQUEST)).isCompletedWithValue(RESPONSE);
    }
  }
}
