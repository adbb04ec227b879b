package io.nereid.server.http.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.engine.model.control.FakeModelControl.Call;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.error.InferenceException;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RepositoryRoutesTest {
  private static final ClientKey CLIENT = new ClientKey("127.0.0.1");

  private static final int MAX_INPUT_SIZE = 1000;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeModelControl models = new FakeModelControl();
  private final HttpListener server;
  private final HttpWire wire;

  RepositoryRoutesTest() throws IOException {
    server =
        HttpTransport.listener(
                new HttpSettings(new ListenerSettings("HTTP", "127.0.0.1", 0), MAX_INPUT_SIZE, 100),
                ListenerSecurity.NONE,
                TestServices.of(models, pool, new RequestMemory(Long.MAX_VALUE, Long.MAX_VALUE)),
                Optional.empty())
            .start();
    wire = connect();
  }

  private HttpWire connect() {
    return new HttpWire(URI.create("http://127.0.0.1:" + server.port()));
  }

  @AfterEach
  void stop() {
    wire.close();
    assertThat(server.stop(Duration.ofSeconds(30))).isTrue();
    assertThat(pool.outstanding()).isZero();
  }

  private HttpWire.Response post(String path, String body) {
    return wire.send("POST", "/v2/repository" + path, body.getBytes(UTF_8), Map.of());
  }

  private static void assertDone(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.text()).isEmpty();
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
  }

  private static void assertRejected(HttpWire.Response response, int status, String text) {
    assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
    assertThat(response.status()).isEqualTo(status);
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/index", "/any/index", "/models/index"})
  void listsTheModelsOfAllRepositories(String path) {
    models.setIndex(
        new ModelIndexEntry("m", OptionalLong.of(1), Optional.of(ModelIndexEntry.State.READY), ""));

    HttpWire.Response response = post(path, "");

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
    assertThat(response.text())
        .isEqualTo("[{\"name\":\"m\",\"version\":\"1\",\"state\":\"READY\"}]");
    assertThat(models.calls()).containsExactly(new Call.Index(false));
  }

  @Test
  void listsTheModelsThatAreKnown() {
    models.setIndex(
        new ModelIndexEntry("m", OptionalLong.of(1), Optional.of(ModelIndexEntry.State.READY), ""));

    HttpWire.Response response = wire.send("GET", "/v2/models", new byte[0], Map.of());

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
    assertThat(response.text())
        .isEqualTo(
            "{\"models\":[\"m\"],\"versions\":[{\"name\":\"m\",\"version\":\"1\",\"state\":\"READY\"}]}");
    assertThat(models.calls()).isEmpty();
    assertRejected(
        wire.send("POST", "/v2/models", new byte[0], Map.of()), 405, "Method Not Allowed");
  }

  @Test
  void listsReadyModelsOnly() {
    post("/index", "{\"ready\":true}");

    assertThat(models.calls()).containsExactly(new Call.Index(true));
  }

  @Test
  void loadsAModelWithItsParameters() {
    assertDone(post("/models/m/load", ""));
    assertDone(
        post("/models/m/load", "{\"parameters\":{\"config\":\"{}\",\"file:1/f\":\"AQI=\"}}"));

    assertThat(models.calls())
        .containsExactly(
            new Call.Load("m", LoadParameters.NONE.of(CLIENT)),
            new Call.Load(
                "m",
                new LoadParameters(
                        Optional.of("{}"), Map.of("1/f", ByteBuffer.wrap(new byte[] {1, 2})))
                    .of(CLIENT)));
  }

  @Test
  void unloadsAModelAndItsDependents() {
    assertDone(post("/models/m/unload", ""));
    assertDone(post("/models/m/unload", "{\"parameters\":{\"unload_dependents\":true}}"));

    assertThat(models.calls())
        .containsExactly(new Call.Unload("m", false), new Call.Unload("m", true));
  }

  @ParameterizedTest
  @CsvSource({"a%20b,a b", "%2E%2E,..", "a%2Fb,a/b", "%20,' '", "%C3%A9,é", "...,..."})
  void decodesTheNameOfTheModel(String encoded, String name) {
    assertDone(post("/models/" + encoded + "/load", ""));

    assertThat(models.calls()).containsExactly(new Call.Load(name, LoadParameters.NONE.of(CLIENT)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "unload"})
  void rejectsTheNameOfARepository(String action) {
    assertRejected(
        post("/r/models/m/" + action, "not even JSON"),
        501,
        "'repository_name' specification is not supported");
    assertThat(models.calls()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/index",
    "PUT,/r/index",
    "GET,/models/m/load",
    "DELETE,/models/m/unload",
    "GET,/r/models/m/load"
  })
  void rejectsOtherMethods(String method, String path) {
    assertRejected(
        wire.send(method, "/v2/repository" + path, new byte[0], Map.of()),
        405,
        "Method Not Allowed");
    assertThat(models.calls()).isEmpty();
  }

  @Test
  void respondsWithTheFailureOfALoad() {
    models.setWhileLoading(() -> {
      throw InferenceException.invalid("load failed for model 'm': it is broken\n");
    });

    assertRejected(post("/models/m/load", ""), 400, "load failed for model 'm': it is broken\\n");
  }

  @Test
  void loadsNothingForAMalformedBody() {
    assertRejected(
        post("/models/m/load", "x"),
        500,
        "failed to parse the request JSON buffer: Invalid value. at 0");
    assertRejected(
        post("/models/m/unload", "{\"parameters\":{\"unload_dependents\":1}}"),
        400,
        "Unable to parse 'unload_dependents': attempt to access JSON non-boolean as boolean");
    assertThat(models.calls()).isEmpty();
  }

  @Test
  void limitsTheBody() {
    String parameters = "{\"parameters\":{\"config\":\"%s\"}}";
    int rest = MAX_INPUT_SIZE - parameters.formatted("").length();

    assertDone(post("/models/m/load", parameters.formatted("x".repeat(rest))));
    assertRejected(
        post("/models/m/load", parameters.formatted("x".repeat(rest + 1))),
        400,
        "request JSON size of 1001 bytes exceeds the maximum allowed input size of 1000 bytes. Use"
            + " --http-max-input-size to increase the limit.");
  }

  @Test
  void readsACompressedBody() throws IOException {
    var body = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(body)) {
      gzip.write("{\"ready\":true}".getBytes(UTF_8));
    }
    wire.send(
        "POST", "/v2/repository/index", body.toByteArray(), Map.of("Content-Encoding", "gzip"));

    assertThat(models.calls()).containsExactly(new Call.Index(true));
  }

  /** Lets loads begin, and wait until the result is completed. */
  private CompletableFuture<Void> holdLoads(CountDownLatch begun) {
    var loaded = new CompletableFuture<Void>();
    models.setWhileLoading(() -> {
      begun.countDown();
      loaded.orTimeout(50, TimeUnit.SECONDS).join();
    });
    return loaded;
  }

  @Test
  void stopsInTimeWhileAModelLoads() {
    var loading = new CountDownLatch(1);
    var loaded = holdLoads(loading);
    var response = CompletableFuture.supplyAsync(() -> post("/models/m/load", ""));
    assertThat(await(loading)).isTrue();

    assertThat(server.stop(Duration.ofMillis(50))).isFalse();

    loaded.complete(null);
    assertThatThrownBy(response::join)
        .as("the connection")
        .hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void servesOthersWhileAModelLoads() {
    var loading = new CountDownLatch(1);
    var loaded = holdLoads(loading);

    try (var other = connect()) {
      var response = CompletableFuture.supplyAsync(() -> post("/models/m/load", ""));
      assertThat(await(loading)).isTrue();
      assertThat(other.send("POST", "/v2/repository/index", new byte[0], Map.of()).status())
          .isEqualTo(200);
      assertThat(response).isNotDone();

      loaded.complete(null);
      assertDone(response.join());
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(50, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
