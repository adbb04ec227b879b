package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Sequence;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests of a sequence are sent, and with which flags. */
@Timeout(60)
class SequenceTest {
  private static final Answer OK = Answer.response(200, "", "{\"outputs\":[]}");
  private static final Answer REFUSED = Answer.response(400, "", "{\"error\":\"wrong\"}");
  private static final Answer FAILED = Answer.response(500, "", "{\"error\":\"broken\"}");
  private static final InferRequest REQUEST = InferRequest.to("m").build();

  private static NereidClient open(LyingServer server) {
    return NereidClient.builder(server.address()).retries(RetryPolicy.NONE).open();
  }

  /** A letter for each request: S and E for its flags, both or none of them. */
  private static List<String> flags(LyingServer server) {
    return server.requests().stream()
        .map(request ->
            (request.contains("\"sequence_start\":true") ? "S" : "")
                + (request.contains("\"sequence_end\":true") ? "E" : ""))
        .toList();
  }

  @Test
  void theFirstStartsAndTheLastEndsIt() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      sequence.infer(REQUEST);
      sequence.infer(sequence.request().build());
      sequence.finish(REQUEST);

      assertThat(flags(server)).containsExactly("S", "", "E");
      assertThat(server.requests()).allMatch(request -> request.contains("\"sequence_id\":7"));
    }
  }

  @Test
  void oneRequestCanBeAllOfIt() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      client.sequence("m", "abc").finish(REQUEST);

      assertThat(flags(server)).containsExactly("SE");
      assertThat(server.requests().get(0)).contains("\"sequence_id\":\"abc\"");
    }
  }

  @Test
  void eachRequestNamesItInAHeaderForABalancer() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client =
            NereidClient.builder(server.address()).sequenceHeader("X-Sequence-Id").open()) {
      Sequence numbered = client.withDeadline(Duration.ofMinutes(1)).sequence("m", 7);
      numbered.infer(InferRequest.to("m").header("x-sequence-id", "mine").build());
      numbered.finish(REQUEST);
      client.sequence("m", "käse 1").finish(REQUEST);

      assertThat(server.requests())
          .extracting(
              request -> request.lines().filter(line -> line.startsWith("x-sequence-id:")).toList())
          .containsExactly(
              List.of("x-sequence-id: 7"),
              List.of("x-sequence-id: 7"),
              List.of("x-sequence-id: k%C3%A4se+1"));
    }
  }

  @Test
  void noHeaderNamesItUnlessThatIsWanted() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      client.sequence("m", 4711).finish(REQUEST);

      assertThat(server.requests().getFirst().lines().takeWhile(line -> !line.isEmpty()))
          .noneMatch(line -> line.contains("4711"));
    }
  }

  @Test
  void theHeaderMustBeOneThatBothTransportsCanSend() {
    var builder = NereidClient.builder("http://localhost:1");

    assertThatIllegalArgumentException().isThrownBy(() -> builder.sequenceHeader("x-id-bin"));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.sequenceHeader("content-type"));
  }

  @Test
  void twoSequencesHaveTwoIds() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      assertThat(client.sequence("m").id()).isNotEqualTo(client.sequence("m").id());
    }
  }

  @Test
  void nothingFollowsTheLast() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      sequence.finish(REQUEST);

      assertThatIllegalStateException()
          .isThrownBy(() -> sequence.infer(REQUEST))
          .withMessage("sequence 7 of model 'm' is finished");
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void requestsGoToItsModelOnly() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> client.sequence("m", 7).infer(InferRequest.to("n").build()))
          .withMessage("a request to model 'n' in sequence 7 of model 'm'");
    }
  }

  @Test
  void requestsAreSentOneAfterTheOther() throws IOException {
    try (var server = new LyingServer(OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      List<CompletableFuture<InferResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        calls.add(sequence.inferAsync(sequence.request().id("" + i).build()));
      }
      calls.add(sequence.finishAsync(sequence.request().id("50").build()));
      calls.forEach(CompletableFuture::join);

      assertThat(server.connections()).isEqualTo(1);
      assertThat(server.requests()).hasSize(51);
      for (int i = 0; i <= 50; i++) {
        assertThat(server.requests().get(i)).contains("\"id\":\"" + i + "\"");
      }
      assertThat(flags(server)).startsWith("S", "").endsWith("", "E");
    }
  }

  @Test
  void aRefusedRequestChangesNothing() throws IOException {
    try (var server = new LyingServer(REFUSED, OK, REFUSED, OK, REFUSED, OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      for (int i = 0; i < 2; i++) {
        assertThatExceptionOfType(NereidException.class)
            .isThrownBy(() -> sequence.infer(REQUEST))
            .returns(ErrorCode.INVALID_ARGUMENT, NereidException::code);
        sequence.infer(REQUEST);
      }
      assertThatExceptionOfType(NereidException.class).isThrownBy(() -> sequence.finish(REQUEST));
      sequence.finish(REQUEST);

      assertThat(flags(server)).containsExactly("S", "S", "", "", "E", "E");
    }
  }

  @Test
  void nothingFollowsARequestThatMayHaveChangedTheState() throws IOException {
    try (var server = new LyingServer(OK, FAILED, OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      sequence.infer(REQUEST);
      CompletableFuture<InferResponse> failing = sequence.inferAsync(REQUEST);
      CompletableFuture<InferResponse> queued = sequence.inferAsync(REQUEST);

      assertThat(failing).failsWithin(Duration.ofSeconds(30));
      assertThat(queued)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .havingCause()
          .withMessageContaining(
              "sequence 7 of model 'm' is broken: a request of it failed and may have been executed"
                  + " (CANCELLED)")
          .havingCause()
          .withMessageContaining("broken (INTERNAL)");
      assertThatExceptionOfType(NereidException.class).isThrownBy(() -> sequence.finish(REQUEST));
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void thousandsThatWaitForABrokenOneFail() throws IOException {
    try (var server = new LyingServer(OK, FAILED);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      sequence.infer(REQUEST);
      List<CompletableFuture<InferResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        calls.add(sequence.inferAsync(REQUEST));
      }

      assertThat(calls).allSatisfy(call -> assertThat(call).failsWithin(Duration.ofSeconds(30)));
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void aFirstRequestThatFailedIsStartedAnew() throws IOException {
    try (var server = new LyingServer(Answer.of("", "", Then.CLOSE), OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      assertThatExceptionOfType(NereidException.class).isThrownBy(() -> sequence.infer(REQUEST));
      sequence.infer(REQUEST);

      assertThat(flags(server)).containsExactly("S", "S");
    }
  }

  @Test
  void aCancelledRequestThatWasSentBreaksIt() throws IOException {
    try (var server = new LyingServer(OK, Answer.of("", "", Then.HANG), OK);
        NereidClient client = open(server)) {
      Sequence sequence = client.sequence("m", 7);
      sequence.infer(REQUEST);
      CompletableFuture<InferResponse> sent = sequence.inferAsync(REQUEST);
      CompletableFuture<InferResponse> waiting = sequence.inferAsync(REQUEST);
      while (server.requests().size() < 2) {
        Thread.onSpinWait();
      }

      waiting.cancel(true);
      sent.cancel(true);

      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> sequence.infer(REQUEST))
          .withMessageContaining("is broken");
      assertThat(server.requests()).hasSize(2);
    }
  }
}
