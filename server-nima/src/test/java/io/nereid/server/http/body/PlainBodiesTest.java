package io.nereid.server.http.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.error.InferenceException;
import io.nereid.server.frontend.TestServices;
import io.nereid.server.http.HttpSettings;
import io.nereid.server.http.HttpTransport;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bodies without tensors take, and when they are read. */
@Timeout(60)
class PlainBodiesTest {
  private static final long MAX_INPUT_SIZE = 16 << 20;
  private static final long BUDGET = 4 << 20;
  private static final String TOO_LARGE =
      "{\"error\":\"a request without tensors and files may have 65536 bytes at most\"}";

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeModelControl models = new FakeModelControl();
  private final RequestMemory budget = new RequestMemory(BUDGET, BUDGET);
  private final HttpListener server;

  PlainBodiesTest() throws IOException {
    server =
        HttpTransport.listener(
                new HttpSettings(new ListenerSettings("HTTP", "127.0.0.1", 0), MAX_INPUT_SIZE, 100),
                ListenerSecurity.NONE,
                TestServices.of(models, pool, budget),
                Optional.empty())
            .start();
  }

  @AfterEach
  void stop() {
    assertThat(server.stop(Duration.ofSeconds(30))).isTrue();
    assertThat(pool.outstanding()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  private WireResponse post(String path, String fieldsAndBody) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    try (var client = new WireConnection(address)) {
      client.send("POST /v2/%s HTTP/1.1\r\nHost: h\r\n%s".formatted(path, fieldsAndBody));
      return client.receive();
    }
  }

  private static String withLength(String body) {
    return "Content-Length: %d\r\n\r\n%s".formatted(body.length(), body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"repository/index", "repository/models/m/unload", "logging", "trace/setting"})
  void aBodyWithoutTensorsAndFilesHas64KiBAtMost(String path) throws IOException {
    String chunk = " ".repeat(65_537);
    var gzip = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(gzip)) {
      stream.write(chunk.getBytes(ISO_8859_1));
    }

    WireResponse announced = post(path, "Content-Length: 65537\r\n\r\n");
    WireResponse chunked =
        post(path, "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + chunk + "\r\n0\r\n\r\n");
    WireResponse compressed =
        post(path, "Content-Encoding: gzip\r\n" + withLength(gzip.toString(ISO_8859_1)));

    assertThat(announced.body()).isEqualTo(TOO_LARGE);
    assertThat(announced.status()).isEqualTo(400);
    assertThat(chunked.body()).isEqualTo(TOO_LARGE);
    assertThat(compressed.body()).isEqualTo(TOO_LARGE);
    assertThat(models.calls()).isEmpty();
    assertThat(post("repository/index", withLength("{}" + " ".repeat(65_534))).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "unload"})
  void whetherModelsMayBeLoadedIsDecidedBeforeTheBody(String action) throws IOException {
    models.setCheck(() -> {
      throw InferenceException.unavailable("not allowed");
    });

    WireResponse refused = post("repository/models/m/" + action, "Content-Length: 60000\r\n\r\n{");

    assertThat(refused.body()).isEqualTo("{\"error\":\"not allowed\"}");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(models.calls()).isEmpty();
  }

  @Test
  void filesOfALoadAreCountedUntilItEnds() throws IOException {
    var used = new AtomicLong();
    models.setWhileLoading(() -> used.set(budget.usedBytes()));
    String files = "{\"parameters\":{\"config\":\"{}\",\"file:1/f\":\"%s\"}}";

    assertThat(post("repository/models/m/load", withLength(files.formatted("A".repeat(200_000)))))
        .satisfies(loaded -> assertThat(loaded.status()).isEqualTo(200));
    assertThat(used.get()).isBetween(200_000L, 300_000L);

    WireResponse refused =
        post("repository/models/m/load", withLength(files.formatted("A".repeat(1_300_000))));
    assertThat(refused.body()).contains("memory is exhausted");
    assertThat(refused.status()).isEqualTo(429);
  }
}
