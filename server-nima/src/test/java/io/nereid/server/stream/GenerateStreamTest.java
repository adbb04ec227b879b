package io.nereid.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidServer;
import io.nereid.server.support.TokenBackend;
import io.nereid.server.support.TokenBackend.Step;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The events of {@code generate_stream}, of a model that sends each response when the test says so:
 * when they come, how the stream ends, and what becomes of clients that leave or do not read.
 */
@Timeout(120)
class GenerateStreamTest {
  private static final String EVENT =
      "data: {\"TOKEN\":\"%s\",\"id\":\"7\",\"model_name\":\"tokens\",\"model_version\":\"1\"}\n\n";
  private static final String REQUEST = "{\"id\":\"7\",\"TEXT\":\"hello\"}";

  private static final String SIGNATURE =
      """
      input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
      output { name: "TOKEN" data_type: TYPE_STRING dims: [ 1 ] }
      model_transaction_policy { decoupled: true }
      """;

  private final BufferPool pool = new CheckedBufferPool();
  private NereidServer server;
  private EventClient client;

  @BeforeEach
  void start(@TempDir Path repository) throws IOException {
    TokenBackend.reset();
    ModelOnDisk.of(
        repository,
        "tokens",
        "backend: \"tokens\" instance_group { count: 1 kind: KIND_CPU }" + SIGNATURE);
    ModelOnDisk.of(
        repository,
        "around",
        """
        platform: "ensemble"
        ensemble_scheduling {
          step { model_name: "tokens" model_version: -1
            input_map { key: "TEXT" value: "TEXT" } output_map { key: "TOKEN" value: "TOKEN" } }
        }
        """
            + SIGNATURE);
    var options =
        LocalServer.options(
            repository,
            "--allow-grpc=false",
            "--http-max-requests=1",
            "--max-client-memory=8388608");
    server = LocalServer.start(options, pool);
    client = connect(0);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }

  private EventClient connect(int receiveBuffer) throws IOException {
    return new EventClient(URI.create("http://127.0.0.1:" + server.httpPort()), receiveBuffer);
  }

  private static void tell(Step... steps) {
    TokenBackend.tell(steps);
  }

  private static Step token(String text) {
    return new Step.Token(text);
  }

  private static Step failure(String message) {
    return new Step.Failure(InferenceException.unavailable(message));
  }

  private static Step end() {
    return new Step.End();
  }

  private void assertBegins() throws IOException {
    assertThat(client.head())
        .startsWith("HTTP/1.1 200 OK\n")
        .contains("Content-Type: text/event-stream; charset=utf-8\n")
        .contains("Transfer-Encoding: chunked\n")
        .doesNotContain("Content-Length", "Connection");
  }

  @Test
  void sendsEachResponseAsItComes() throws IOException {
    client.post("generate_stream", REQUEST);
    tell(token("a"));
    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));
    tell(token("b"));
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("b"));
    tell(token("c"), end());

    assertThat(client.chunk()).isEqualTo(EVENT.formatted("c"));
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void sendsResponsesThatComeTogetherAsEventsOfTheirOwn() throws IOException {
    tell(token("a"), token("b"), token("c"), end());
    client.post("generate_stream", REQUEST);

    assertBegins();
    for (String token : new String[] {"a", "b", "c"}) {
      assertThat(client.chunk()).isEqualTo(EVENT.formatted(token));
    }
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void sendsTheEventsOfAnEnsemble() throws IOException {
    client.send(
        "POST /v2/models/around/versions/1/generate_stream HTTP/1.1\r\nHost: x\r\n"
            + "Content-Length: 12\r\n\r\n{\"TEXT\":\"a\"}");
    tell(token("a"));
    assertBegins();
    assertThat(client.chunk()) // the parameters are an ensemble's own
        .isEqualTo(
            "data: {\"TOKEN\":\"a\",\"model_name\":\"around\",\"model_version\":\"1\","
                + "\"sequence_end\":false,\"sequence_id\":0,\"sequence_start\":false}\n\n");
    tell(end());
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void servesTheConnectionAfterAStream() throws IOException {
    for (int i = 0; i < 3; i++) {
      tell(token("a"), end());
      client.post("generate_stream", REQUEST);
      assertBegins();
      assertThat(client.chunk() + client.chunk()).isEqualTo(EVENT.formatted("a"));
    }
    tell(token("a"), end());
    client.post("generate", REQUEST);
    assertThat(client.head()).contains("HTTP/1.1 200 OK\n", "Content-Type: application/json\n");
  }

  @Test
  void sendsAFailureAfterTheFirstEventAsAnEvent() throws IOException {
    tell(token("a"), failure("the model has stopped"));
    client.post("generate_stream", REQUEST);

    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));
    assertThat(client.chunk()).isEqualTo("data: {\"error\":\"the model has stopped\"}\n\n");
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void aFailureBeforeTheFirstEventSetsTheStatus() throws IOException {
    tell(failure("the model is busy"));
    client.post("generate_stream", REQUEST);

    assertThat(client.head())
        .startsWith("HTTP/1.1 503 Service Unavailable\n")
        .contains("Content-Type: text/event-stream; charset=utf-8\n");
    assertThat(client.chunk()).isEqualTo("data: {\"error\":\"the model is busy\"}\n\n");
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void theDeadlineOfAProxyEndsAStream() throws Exception {
    tell(token("a"));
    client.send(
        "POST /v2/models/tokens/generate_stream HTTP/1.1\r\nHost: x\r\n"
            + "x-envoy-expected-rq-timeout-ms: 3000\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(REQUEST.length(), REQUEST));

    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));
    assertThat(client.chunk())
        .isEqualTo(
            "data: {\"error\":\"the deadline of the request has passed"
                + " (x-envoy-expected-rq-timeout-ms)\"}\n\n");
    assertThat(client.chunk()).isEmpty();
    assertThat(TokenBackend.CANCELLED.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aStreamWithoutResponsesIsEmpty() throws IOException {
    tell(end());
    client.post("generate_stream", REQUEST);

    assertBegins();
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void aRequestThatIsNotAdmittedGetsAnOrdinaryError() throws IOException {
    client.post("generate_stream", "{}");

    assertThat(client.head())
        .startsWith("HTTP/1.1 400 Bad Request\n")
        .contains("Content-Type: application/json\n")
        .containsOnlyOnce("Content-Type");
  }

  @Test
  void aStreamCountsAsARequestInFlight() throws IOException {
    client.post("generate_stream", REQUEST);
    tell(token("a"));
    assertBegins();
    try (EventClient second = connect(0)) {
      second.post("generate_stream", REQUEST);
      assertThat(second.head())
          .startsWith("HTTP/1.1 429 Too Many Requests\n")
          .contains("Content-Type: application/json\n", "Retry-After: 1\n");
    }
    tell(end());
    assertThat(client.chunk() + client.chunk()).isEqualTo(EVENT.formatted("a"));
    tell(token("b"), end());
    client.post("generate_stream", REQUEST);
    assertBegins();
  }

  @Test
  void aClientOfHttp10ReadsTheBodyUntilTheEndOfTheConnection() throws IOException {
    tell(token("a"), token("b"), end());
    client.send(
        "POST /v2/models/tokens/generate_stream HTTP/1.0\r\nConnection: keep-alive\r\n"
            + "Content-Length: %d\r\n\r\n%s".formatted(REQUEST.length(), REQUEST));

    assertThat(client.head())
        .contains("Connection: close\n")
        .doesNotContain("Transfer-Encoding", "Content-Length");
    assertThat(client.rest()).isEqualTo(EVENT.formatted("a") + EVENT.formatted("b"));
  }

  /** The ways in which a client leaves. */
  enum Leaving {
    CLOSE,
    RESET
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatLeavesCancelsItsRequest(Leaving leaving) throws Exception {
    client.post("generate_stream", REQUEST);
    tell(token("a"));
    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));

    switch (leaving) {
      case CLOSE -> client.close();
      case RESET -> client.reset();
    }
    assertThat(TokenBackend.CANCELLED.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    awaitOutstanding(0);
  }

  @Test
  void aClientThatClosesItsOutputHasTheWholeStream() throws Exception {
    client.post("generate_stream", REQUEST);
    tell(token("a"));
    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));

    client.halfClose();
    for (int probe = 0; probe < 3; probe++) {
      assertThat(client.chunk()).as("a comment").isEqualTo(":\n\n");
    }
    tell(token("b"), end());
    String next = client.chunk();
    while (next.equals(":\n\n")) {
      next = client.chunk();
    }
    assertThat(next).isEqualTo(EVENT.formatted("b"));
    assertThat(client.chunk()).isEmpty();
  }

  @Test
  void aClientThatDoesNotReadLosesItsRequestAndNotTheServersMemory() throws Exception {
    try (EventClient slow = connect(4 << 10)) {
      slow.post("generate_stream", REQUEST);
      tell(new Step.Flood(64 << 10));
      assertThat(TokenBackend.CANCELLED.tryAcquire(60, TimeUnit.SECONDS)).isTrue();

      assertThat(pool.outstanding()).as("responses that wait").isBetween(64L, 200L);
      slow.head();
      String last = "";
      for (String next = slow.chunk(); !next.isEmpty(); next = slow.chunk()) {
        last = next;
      }
      assertThat(last)
          .startsWith(
              "data: {\"error\":\"[request id: 7] the client reads its stream too slowly: ");
    }
    awaitOutstanding(0);
  }

  private void awaitOutstanding(long leases) {
    while (pool.outstanding() != leases) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void aServerThatStopsLetsAStreamEnd() throws Exception {
    client.post("generate_stream", REQUEST);
    tell(token("a"));
    assertBegins();
    assertThat(client.chunk()).isEqualTo(EVENT.formatted("a"));

    Thread closing = Thread.ofPlatform().start(server::close);
    try (EventClient idle = connect(0)) {
      idle.rest(); // ends once the server stops, if it has not begun to before
    } catch (IOException _) {
      // a connection that is made later is refused
    }
    tell(token("b"), end());

    assertThat(client.chunk()).isEqualTo(EVENT.formatted("b"));
    assertThat(client.chunk()).isEmpty();
    assertThat(client.rest()).isEmpty();
    closing.join();
  }

  @Test
  void generateSendsTheOnlyResponse() throws IOException {
    String body =
        "{\"TOKEN\":\"a\",\"id\":\"7\",\"model_name\":\"tokens\",\"model_version\":\"1\"}";
    tell(token("a"), end());
    client.post("generate", REQUEST);

    assertThat(client.head())
        .startsWith("HTTP/1.1 200 OK\n")
        .contains(
            "Content-Type: application/json\n", "Content-Length: %d\n".formatted(body.length()))
        .doesNotContain("Transfer-Encoding");
    client.halfClose();
    assertThat(client.rest()).isEqualTo(body);
  }

  @Test
  void generateFailsWithoutAResponse() throws IOException {
    tell(end());
    assertNotOne();
  }

  @Test
  void generateFailsAndCancelsTheRequestAtTheSecondResponse() throws Exception {
    tell(token("a"), token("b"));
    assertNotOne();
    assertThat(TokenBackend.CANCELLED.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  private void assertNotOne() throws IOException {
    client.post("generate", REQUEST);
    assertThat(client.head())
        .contains("HTTP/1.1 500 Internal Server Error\n", "Content-Type: application/json\n");
    client.halfClose();
    assertThat(client.rest())
        .isEqualTo(
            "{\"error\":\"generate expects model to produce exactly 1 response, use generate stream"
                + " for model that generates various number of responses\"}");
  }

  @Test
  void generateReportsAFailureBehindTheFirstResponse() throws IOException {
    tell(token("a"), failure("the model has stopped"));
    client.post("generate", REQUEST);

    assertThat(client.head()).startsWith("HTTP/1.1 503 Service Unavailable\n");
    client.halfClose();
    assertThat(client.rest()).isEqualTo("{\"error\":\"the model has stopped\"}");
  }
}
