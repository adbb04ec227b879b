package io.nereid.server.http.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.server.support.TextStandIn;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of the text APIs are requests as all others: what each of them goes through. */
@Timeout(60)
class TextRequestsTest {
  private static final String ONE_TEXT = "{\"input\":\"a b\"}";

  @TempDir private Path folder;

  @BeforeEach
  void forget() {
    TextStandIn.EXECUTED.clear();
  }

  private TextServer start(String... options) throws IOException {
    return new TextServer(folder.resolve("models"), options);
  }

  private static HttpWire.Response post(
      TextServer server, String path, String body, Map<String, String> headers) {
    return server.send("POST", path, body.getBytes(UTF_8), headers);
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/v1/embeddings",
    "GET,/v1/models",
    "GET,/v1/models/minilm",
    "POST,/rerank",
    "POST,/v2/rerank",
    "POST,/embed",
    "GET,/info",
    "POST,/v2/models/minilm/embed"
  })
  void thereAreNoTextApisUnlessTheOperatorWantsThem(String method, String path) throws IOException {
    try (var server = start("--text-api=false")) {
      HttpWire.Response response = server.send(method, path, new byte[0], Map.of());

      assertThat(response.status()).isEqualTo(404);
      assertThat(response.text()).isEqualTo("{\"error\":\"Not Found\"}");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/v1/embeddings,i-key,3",
    "POST,/rerank,i-key,3",
    "POST,/v2/models/ranker/v2/rerank,i-key,3",
    "POST,/classify,i-key,3",
    "POST,/embed,i-key,3",
    "POST,/predict,i-key,3",
    "POST,/tokenize,i-key,3",
    "GET,/v1/models,m-key,2",
    "GET,/v1/models/minilm,m-key,2",
    "GET,/v2/models/minilm/info,m-key,2"
  })
  void aRouteNeedsTheHeaderOfItsCategory(String method, String path, String key, String value)
      throws IOException {
    try (var server =
        start(
            "--http-restricted-api=metadata:m-key=2", "--http-restricted-api=inference:i-key=3")) {
      HttpWire.Response refused = server.send(method, path, new byte[0], Map.of(key, "wrong"));

      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.text())
          .contains("This API is restricted, expecting header '%s'".formatted(key));
      assertThat(server.send(method, path, new byte[0], Map.of(key, value)).status())
          .isNotEqualTo(403);
    }
  }

  @Test
  void aClientThatMayNotListModelsIsToldNoNames() throws IOException {
    try (var server = start("--http-restricted-api=metadata:m-key=2")) {
      String unknown = "{\"input\":\"a\",\"model\":\"x\"}";

      assertThat(post(server, "/v1/embeddings", unknown, Map.of()).text())
          .contains("'x' is not found\"");
      assertThat(post(server, "/v1/embeddings", unknown, Map.of("m-key", "2")).text())
          .contains("[minilm, mood, ranker]");
    }
  }

  @Test
  void theOnlyModelMustBeNamedOnceThereAreTwo() throws IOException {
    Path models = folder.resolve("models");
    TextServer.embedder(models, "bge");
    try (var server = start()) {
      HttpWire.Response response = server.post("/v1/embeddings", ONE_TEXT);

      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text())
          .contains(
              "the request names no model, and there are several for embedding; the text models"
                  + " are [bge, minilm, mood, ranker]");
    }
  }

  @Test
  void aServerWithoutTextModelsSaysSo() throws IOException {
    try (var server =
            new LocalServer(
                LocalServer.options(Files.createDirectory(folder.resolve("m")), "--text-api=true"),
                new CheckedBufferPool());
        var wire = new HttpWire(server.http())) {
      HttpWire.Response response =
          wire.send("POST", "/v1/embeddings", ONE_TEXT.getBytes(UTF_8), Map.of());

      assertThat(response.status()).isEqualTo(404);
      assertThat(response.text())
          .contains("there is no model for embedding; the text models are []");
      assertThat(wire.send("GET", "/v1/models", new byte[0], Map.of()).text())
          .isEqualTo("{\"object\":\"list\",\"data\":[]}");
    }
  }

  @Test
  void aClientThatLeavesCancelsItsRequest() throws Exception {
    try (var server = start()) {
      int port = server.server().http().getPort();
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        sendWaiting(socket);
      }
    } // the stop waits for the instance, and finds no lease outstanding
  }

  /** Sends a request that is executed until it is cancelled. */
  private static void sendWaiting(Socket socket) throws Exception {
    String body = "{\"input\":\"wait\"}";
    socket
        .getOutputStream()
        .write(
            "POST /v1/embeddings HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.length(), body)
                .getBytes(UTF_8));
    var _ = TextStandIn.EXECUTED.take();
  }

  @Test
  void theDeadlineOfAClientIsKept() throws IOException {
    try (var server = start()) {
      HttpWire.Response response =
          post(
              server,
              "/v1/embeddings",
              "{\"input\":\"wait\"}",
              Map.of("x-envoy-expected-rq-timeout-ms", "50"));

      assertThat(response.status()).isEqualTo(504);
      assertThat(response.text()).contains("the deadline of the request has passed");
    }
  }

  @Test
  void noMoreRequestsAreInFlightThanTheLimitOfAllApis() throws Exception {
    try (var server = start("--http-max-requests=1");
        var socket =
            new Socket(InetAddress.getLoopbackAddress(), server.server().http().getPort())) {
      sendWaiting(socket);

      HttpWire.Response response = server.post("/embed", "{\"inputs\":\"a\"}");

      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(response.text())
          .isEqualTo(
              "{\"error\":\"1 inference requests are in flight over HTTP (--http-max-requests)\","
                  + "\"error_type\":\"Overloaded\"}");
    }
  }

  @Test
  void theAccessLogHasTheModelThatTheBodyNames() throws IOException {
    Path log = folder.resolve("access.log");
    try (var server = start("--access-log=" + log)) {
      assertThat(server.post("/v1/embeddings", ONE_TEXT).status()).isEqualTo(200);
      assertThat(server.post("/v1/embeddings", "{").status()).isEqualTo(400);
    }

    // a line is written behind its answer, so that of the second request may come first
    assertThat(Files.readAllLines(log))
        .satisfiesExactlyInAnyOrder(
            line -> {
              Map<?, ?> served = Json.object(line.getBytes(UTF_8));
              assertThat(served.get("model")).isEqualTo("minilm");
              assertThat(served.get("path")).isEqualTo("/v1/embeddings");
              assertThat(String.valueOf(served.get("status"))).isEqualTo("200");
            },
            line -> assertThat(line).contains("failed to parse the request JSON buffer"));
  }

  @Test
  void aTraceBeginsWhenTheHeadHasCome() throws IOException {
    Path file = folder.resolve("trace.json");
    try (var server =
        start(
            "--trace-config=triton,file=" + file,
            "--trace-config=rate=1",
            "--trace-config=level=TIMESTAMPS")) {
      assertThat(server.post("/v1/embeddings", ONE_TEXT).status()).isEqualTo(200);
    }

    assertThat(Files.readString(file))
        .contains("\"model_name\":\"minilm\"")
        .containsSubsequence("HTTP_RECV_START", "HTTP_RECV_END", "HTTP_SEND_END");
  }

  @Test
  void statisticsCountEachText() throws IOException {
    try (var server = start()) {
      assertThat(server.post("/v1/embeddings", "{\"input\":[\"a\",\"b\"]}").status())
          .isEqualTo(200);

      assertThat(server.get("/v2/models/minilm/stats").text())
          .contains("\"inference_count\":2,\"execution_count\":1");
    }
  }

  @Test
  void pagesMayReadResponsesAndFailuresIfTheirOriginMay() throws IOException {
    try (var server = start("--http-cors-origin=*")) {
      for (String body : new String[] {ONE_TEXT, "{"}) {
        assertThat(
                post(server, "/v1/embeddings", body, Map.of("Origin", "https://page"))
                    .header("Access-Control-Allow-Origin"))
            .isEqualTo("*");
      }
    }
  }
}
