package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A call ends whatever is thrown where no caller sees it. */
@Timeout(60)
class CallTest {
  private static final InferRequest REQUEST = InferRequest.to("m").mayRunTwice().build();

  static Stream<Throwable> thrown() {
    return Stream.of(
            new IllegalArgumentException("argument"),
            new IllegalStateException("state"),
            new NullPointerException("null"),
            new UncheckedIOException(new IOException("io")),
            new OutOfMemoryError("memory"),
            new StackOverflowError("stack"),
            new AssertionError("assertion"))
        .map(Throwable.class::cast);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void raise(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aResponseThatCannotBeReadFailsItsCallWhateverIsThrown(Throwable thrown) {
    Call<String> call = new Call<>();
    Call<String> mapped =
        call.map(
            "asked",
            text -> {
              raise(thrown);
              return text;
            });

    call.complete("text");

    Throwable failure =
        catchThrowableOfType(ExecutionException.class, () -> mapped.get(0, TimeUnit.SECONDS))
            .getCause();
    if (thrown instanceof Error) {
      assertThat(failure).isSameAs(thrown);
    } else {
      assertThat(failure)
          .isInstanceOfSatisfying(
              NereidException.class,
              known -> {
                assertThat(known.code()).isEqualTo(ErrorCode.BAD_RESPONSE);
                assertThat(known).hasMessageStartingWith("asked: the response cannot be read: ");
                assertThat(known.getCause()).isSameAs(thrown);
              });
    }
  }

  /** Fails a call as a server that is to be asked again, and throws what is given the next time. */
  private static NereidClient throwing(Throwable thrown, AtomicInteger attempts) {
    var transport =
        new FakeTransport(_ -> {
          if (attempts.incrementAndGet() > 1) {
            raise(thrown);
          }
          return Call.failed(
              new NereidException(
                  ErrorCode.UNAVAILABLE, "asked", "later", false, Duration.ofMillis(1), null));
        });
    return NereidClient.builder("fake://server").transport((_, _) -> transport).open();
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aRepeatThatThrowsEndsTheCall(Throwable thrown) {
    var attempts = new AtomicInteger();
    try (NereidClient client = throwing(thrown, attempts)) {
      CompletableFuture<InferResponse> call = client.inferAsync(REQUEST);

      assertThat(catchThrowableOfType(CompletionException.class, call::join).getCause())
          .isSameAs(thrown);
      assertThat(attempts).hasValue(2);
    }
  }

  @Test
  void aRequestOfASequenceThatCannotBeSentFailsAndTheNextIsSent() {
    var requests = new AtomicInteger();
    var transport =
        new FakeTransport(_ -> {
          if (requests.getAndIncrement() == 0) {
            throw new OutOfMemoryError("memory");
          }
          return Call.failed(NereidException.unimplemented("asked", "sent"));
        });
    try (NereidClient client =
        NereidClient.builder("fake://server").transport((_, _) -> transport).open()) {
      Sequence sequence = client.sequence("m");

      assertThat(sequence.inferAsync(REQUEST))
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withCauseInstanceOf(OutOfMemoryError.class);
      assertThat(sequence.inferAsync(REQUEST))
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withMessageContaining("sent");
      assertThat(requests).hasValue(2);
    }
  }

  @Test
  void anErrorIsThrownAsItIsByACallThatWaits() {
    try (NereidClient client = throwing(new OutOfMemoryError("memory"), new AtomicInteger(1))) {
      var caller =
          new Caller(
              new FakeTransport(_ -> new Call<>()),
              RetryPolicy.NONE,
              Duration.ofSeconds(1),
              Map.of(),
              "",
              List.of(),
              null);
      CompletableFuture<String> failed = new CompletableFuture<>();
      failed.completeExceptionally(new OutOfMemoryError("memory"));

      assertThatThrownBy(() -> caller.await(failed)).isInstanceOf(OutOfMemoryError.class);
      assertThatThrownBy(() -> client.infer(REQUEST)).isInstanceOf(OutOfMemoryError.class);
    }
  }
}
