package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionLimitTest {
  private static final InferRequest REQUEST = InferRequest.to("m").build();

  private static List<CompletableFuture<InferResponse>> calls(NereidClient client, int count) {
    return IntStream.range(0, count).mapToObj(i -> client.inferAsync(REQUEST)).toList();
  }

  @Test
  void noMoreConnectionsAreOpenedThanTheLimit() throws IOException {
    try (var server = new LyingServer(Answer.response(200, "", "{\"outputs\":[]}"));
        NereidClient client = NereidClient.builder(server.address()).connections(3).open()) {
      calls(client, 200).forEach(CompletableFuture::join);

      assertThat(server.requests()).hasSize(200);
      assertThat(server.connections()).isBetween(1, 3);
    }
  }

  @Test
  void aCallThatWaitsInVainEndsAtItsDeadlineAndIsNeverSent() throws IOException {
    try (var server = new LyingServer(Answer.of("", "", Then.HANG));
        NereidClient client = NereidClient.builder(server.address()).connections(1).open()) {
      CompletableFuture<InferResponse> first = client.inferAsync(REQUEST);
      List<CompletableFuture<InferResponse>> calls =
          calls(client.withDeadline(Duration.ofMillis(100)), 5);

      assertThat(calls).allSatisfy(call -> assertThat(call).failsWithin(Duration.ofSeconds(30)));
      first.cancel(true);
      server.awaitClosed();
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void aCallThatIsCancelledWhileItWaitsGivesItsPlaceToTheNext() throws IOException {
    try (var server =
            new LyingServer(
                Answer.of("", "", Then.HANG), Answer.response(200, "", "{\"outputs\":[]}"));
        NereidClient client = NereidClient.builder(server.address()).connections(1).open()) {
      List<CompletableFuture<InferResponse>> calls = calls(client, 4);
      while (server.requests().isEmpty()) {
        Thread.onSpinWait();
      }

      calls.get(1).cancel(true);
      calls.get(2).cancel(true);
      calls.get(0).cancel(true);

      assertThat(calls.get(3).join().outputs()).isEmpty();
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void aLimitIsOneOrMore() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NereidClient.builder("http://localhost:1").connections(0));
  }
}
