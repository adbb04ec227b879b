package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.ClientBuilder;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.client.rest.LyingServer.Answer;
import io.nereid.client.rest.LyingServer.Then;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which calls are sent again, and how a caller gives one up. */
@Timeout(60)
class RepeatedCallsTest {
  private static final InferRequest REQUEST =
      InferRequest.to("m").id("1").input("A", Tensor.of(new int[] {1, 2})).build();
  private static final String OUTPUT =
      json("{'id':'1','outputs':[{'name':'B','datatype':'INT32','shape':[2],'data':[3,4]}]}");

  private static ClientBuilder builder(String address) {
    return NereidClient.builder(address)
        .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1)));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @Test
  void aRefusalIsRepeatedAfterTheServersTime() throws IOException {
    Answer busy = Answer.response(429, "Retry-After: 0\n", json("{'error':'busy'}"));
    try (var server = new LyingServer(busy, busy, Answer.response(200, "", OUTPUT));
        NereidClient client = builder(server.address()).open()) {
      assertThat(client.infer(REQUEST).output("B").ints()).containsExactly(3, 4);
      assertThat(server.requests()).hasSize(3);
    }
  }

  @Test
  void aRefusalThatStaysIsToldInTheServersWords() throws IOException {
    Answer busy = Answer.response(503, "", json("{'error':'Exceeds maximum queue size'}"));
    try (var server = new LyingServer(busy);
        NereidClient client = builder(server.address()).open()) {
      CompletableFuture<InferResponse> call = client.inferAsync(REQUEST);

      assertThat(catchThrowableOfType(CompletionException.class, call::join).getCause())
          .hasMessage(
              "infer of model 'm' (id '1') at %s: Exceeds maximum queue size (UNAVAILABLE)"
                  .formatted(server.address()));
      assertThat(server.requests()).hasSize(3);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "503, '', Exceeds maximum queue size, false, 3",
    "503, '', 'in ensemble ''m'', Exceeds maximum queue size', true, 1",
    "503, '', the model is at rest, true, 1",
    "503, 'Retry-After: 0', the model is at rest, false, 3",
    "429, 'Retry-After: 0', busy, false, 3",
    "429, '', busy, true, 1",
    "400, '', the model has called another, true, 1",
    "404, '', 'Request for unknown model: ''m'' is not found', false, 1",
    "404, '', 'Request for unknown model: ''n'' is not found', true, 1",
    "409, '', there, true, 1",
    "501, '', not here, true, 1",
    "401, '', who, false, 1",
    "403, '', no, false, 1"
  })
  void onlyARefusalSaysThatNothingRan(
      int status, String header, String sentence, boolean mayHaveRun, int attempts)
      throws IOException {
    String headers = header.isEmpty() ? "" : header + "\n";
    String body = "{\"error\":\"" + sentence + "\"}";
    try (var server = new LyingServer(Answer.response(status, headers, body));
        NereidClient client = builder(server.address()).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));

      assertThat(failure.sentence()).isEqualTo(sentence);
      assertThat(failure.mayHaveRun()).isEqualTo(mayHaveRun);
      assertThat(server.requests()).hasSize(attempts);
    }
  }

  @ParameterizedTest
  @CsvSource({"400, false", "404, false", "409, false", "501, false", "500, true", "503, true"})
  void whatIsNoInferenceIsRefusedByACode(int status, boolean mayHaveRun) throws IOException {
    try (var server = new LyingServer(Answer.response(status, "", json("{'error':'no'}")));
        NereidClient client = builder(server.address()).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.models().load("m"));

      assertThat(failure.mayHaveRun()).isEqualTo(mayHaveRun);
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void aServerThatIsAskedLaterThanTheDeadlineIsNotAsked() throws IOException {
    Answer busy = Answer.response(429, "Retry-After: 100\n", json("{'error':'busy'}"));
    try (var server = new LyingServer(busy);
        NereidClient client = builder(server.address()).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));

      assertThat(failure.retryAfter()).contains(Duration.ofSeconds(100));
      assertThat(server.requests()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999999999", "9223372036854775807", "Fri, 31 Dec 9999 23:59:59 GMT"})
  void aServerThatIsToBeAskedInAgesEndsTheCall(String time) throws IOException {
    Answer busy = Answer.response(429, "Retry-After: " + time + "\n", json("{'error':'busy'}"));
    try (var server = new LyingServer(busy);
        NereidClient client = builder(server.address()).open()) {
      assertThat(client.inferAsync(REQUEST)).failsWithin(Duration.ofSeconds(30));
      assertThat(catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST)).code())
          .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void aBrokenConnectionIsRepeatedIfTheRequestMayRunTwice() throws IOException {
    InferRequest twice =
        InferRequest.to("m").input("A", Tensor.of(new int[] {1, 2})).mayRunTwice().build();
    try (var server =
            new LyingServer(Answer.of("", "", Then.CLOSE), Answer.response(200, "", OUTPUT));
        NereidClient client = builder(server.address()).open()) {
      assertThat(client.infer(twice).output("B").ints()).containsExactly(3, 4);
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void aRefusedConnectionIsUnavailableAndCannotHaveRun() throws IOException {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    try (NereidClient client = builder("http://127.0.0.1:" + port).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST));

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.sentence()).startsWith("no connection");
      assertThat(failure.mayHaveRun()).isFalse();
    }
  }

  @Test
  void aServerThatReadsHalfOfALargeRequestHasNotExecutedIt() throws IOException {
    InferRequest large = InferRequest.to("m").input("A", Tensor.of(new int[4 << 20])).build();
    try (var server = new LyingServer(1000, Answer.of("", "", Then.RESET));
        NereidClient client = builder(server.address()).open()) {
      NereidException failure =
          catchThrowableOfType(NereidException.class, () -> client.infer(large));

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(failure.sentence()).startsWith("the connection broke before the request was sent");
      assertThat(failure.mayHaveRun()).isFalse();
      assertThat(server.requests()).hasSize(3);
    }
  }

  @Test
  void aClosedClientEndsItsCalls() throws IOException {
    try (var server = new LyingServer(Answer.of("", "", Then.HANG))) {
      NereidClient client = builder(server.address()).open();
      CompletableFuture<InferResponse> call = client.inferAsync(REQUEST);
      while (server.requests().isEmpty()) {
        Thread.onSpinWait();
      }

      client.close();

      assertThat(catchThrowableOfType(CompletionException.class, call::join).getCause())
          .hasMessageContaining("the client is closed (UNAVAILABLE)");
      assertThat(catchThrowableOfType(NereidException.class, () -> client.infer(REQUEST)))
          .hasMessageContaining("the client is closed (UNAVAILABLE)");
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void aCancelledCallClosesItsConnection() throws IOException {
    try (var server = new LyingServer(Answer.of("", "", Then.HANG));
        NereidClient client = builder(server.address()).open()) {
      CompletableFuture<InferResponse> call = client.inferAsync(REQUEST);
      while (server.requests().isEmpty()) {
        Thread.onSpinWait();
      }

      call.cancel(true);

      server.awaitClosed();
    }
  }

  @Test
  void aSecondAnswerIsNotTheNextRequests() throws IOException {
    String twice = new String(Answer.response(200, "", OUTPUT).bytes(), ISO_8859_1);
    String other =
        json("{'id':'2','outputs':[{'name':'B','datatype':'INT32','shape':[1],'data':[9]}]}");
    Answer repeated = new Answer((twice + twice).getBytes(ISO_8859_1), Then.KEEP);
    try (var server = new LyingServer(repeated, Answer.response(200, "", other));
        NereidClient client = builder(server.address()).open()) {
      InferRequest next =
          InferRequest.to("m").id("2").input("A", Tensor.of(new int[] {1, 2})).build();

      assertThat(client.infer(REQUEST).output("B").ints()).containsExactly(3, 4);
      CompletableFuture<InferResponse> second = client.inferAsync(next);

      assertThat(
              second
                  .handle(
                      (response, failure) -> response == null ? -9 : response.output("B").ints()[0])
                  .join())
          .as("the second's own answer, or a failure")
          .isIn(9, -9);
    }
  }
}
