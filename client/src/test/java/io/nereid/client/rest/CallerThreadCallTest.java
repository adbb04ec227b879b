package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that their caller's thread makes, and what ends them early. */
@Timeout(60)
class CallerThreadCallTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();
  private static final Answer NONE = Answer.of("", "", Then.HANG);

  /** How a call of a thread of its own ended. */
  private record End(NereidException failure, boolean isInterrupted) {}

  private static final class Caller {
    private final CompletableFuture<End> end = new CompletableFuture<>();
    private final Thread thread;

    Caller(NereidClient client) {
      thread =
          Thread.ofPlatform()
              .start(() ->
                  end.complete(
                      new End(
                          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST)),
                          Thread.interrupted())));
    }

    /** Until it waits for something. */
    void awaitWaiting() {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
  }

  private static void awaitRequest(LyingServer server) {
    while (server.requests().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void theCloseOfTheClientEndsACallAndLeavesNoInterrupt() throws IOException {
    try (var server = new LyingServer(NONE)) {
      NereidClient client = NereidClient.connect(server.address());
      Caller caller = new Caller(client);
      awaitRequest(server);

      client.close();

      End end = caller.end.join();
      assertThat(end.failure().code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(end.failure().sentence()).isEqualTo("the client is closed");
      assertThat(end.failure().mayHaveRun()).isTrue();
      assertThat(end.isInterrupted()).isFalse();
      server.awaitClosed();
    }
  }

  @Test
  void aDeadlineEndsACallAndLeavesNoInterrupt() throws IOException {
    try (var server = new LyingServer(NONE);
        NereidClient client = NereidClient.connect(server.address())) {
      End end = new Caller(client.withDeadline(Duration.ofMillis(100))).end.join();

      assertThat(end.failure().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      assertThat(end.failure().mayHaveRun()).isTrue();
      assertThat(end.isInterrupted()).isFalse();
      server.awaitClosed();
    }
  }

  @Test
  void anInterruptEndsACallAndStays() throws IOException {
    try (var server = new LyingServer(NONE);
        NereidClient client = NereidClient.connect(server.address())) {
      Caller caller = new Caller(client);
      awaitRequest(server);

      caller.thread.interrupt();

      End end = caller.end.join();
      assertThat(end.failure().code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(end.isInterrupted()).isTrue();
      server.awaitClosed();
    }
  }

  @Test
  void aCallThatWaitsForAConnectionEndsUnsentAndLeavesItToTheNext() throws IOException {
    Answer empty = Answer.response(200, "", "{\"outputs\":[]}");
    try (var server = new LyingServer(NONE, empty);
        NereidClient client = NereidClient.builder(server.address()).connections(1).open()) {
      CompletableFuture<InferResponse> first = client.inferAsync(REQUEST);
      awaitRequest(server);
      Caller interrupted = new Caller(client);
      interrupted.awaitWaiting();
      interrupted.thread.interrupt();

      End late = new Caller(client.withDeadline(Duration.ofMillis(50))).end.join();
      End cancelled = interrupted.end.join();
      first.cancel(true);

      assertThat(late.failure().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
      assertThat(late.failure().mayHaveRun()).isFalse();
      assertThat(cancelled.failure().code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(cancelled.failure().mayHaveRun()).isFalse();
      assertThat(cancelled.isInterrupted()).isTrue();
      assertThat(client.infer(REQUEST).outputs()).isEmpty();
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void eachCallEndsByItsOwnDeadline() throws IOException {
    try (var server = new LyingServer(NONE);
        NereidClient client = NereidClient.connect(server.address())) {
      CompletableFuture<InferResponse> patient =
          client.withDeadline(Duration.ofSeconds(50)).inferAsync(REQUEST);
      CompletableFuture<InferResponse> middle =
          client.withDeadline(Duration.ofMillis(300)).inferAsync(REQUEST);
      CompletableFuture<InferResponse> brief =
          client.withDeadline(Duration.ofMillis(30)).inferAsync(REQUEST);

      assertThat(brief).failsWithin(Duration.ofSeconds(30));
      assertThat(middle).failsWithin(Duration.ofSeconds(30));
      assertThat(patient).isNotDone();
    }
  }
}
