package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restricted APIs of HTTP. Sources: Triton, protocol documentation; QA L0_http. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpRestrictionTest {
  private LocalServer server;

  @BeforeAll
  void start(@TempDir Path empty) throws IOException {
    server =
        new LocalServer(
            LocalServer.options(
                empty,
                "--http-restricted-api=health:h-key=1",
                "--http-restricted-api=metadata:m-key=2",
                "--http-restricted-api=inference,model-config:i-key=3",
                "--http-restricted-api=model-repository:r-key=4",
                "--http-restricted-api=trace:t-key=6",
                "--http-restricted-api=logging:l-key=7",
                "--http-restricted-api=statistics:s-key=5",
                "--http-restricted-api=shared-memory:shm-key=8"),
            new CheckedBufferPool());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v2/health/live,h-key,1",
    "GET,/v2/health/ready,h-key,1",
    "GET,/v2/models/m/ready,h-key,1",
    "GET,/v2/models/m/versions/1/ready,h-key,1",
    "GET,/v2,m-key,2",
    "GET,/v2/models,m-key,2",
    "GET,/v2/models/m,m-key,2",
    "POST,/v2/models/m/infer,i-key,3",
    "POST,/v2/models/m/generate,i-key,3",
    "POST,/v2/models/m/generate_stream,i-key,3",
    "GET,/v2/models/m/config,i-key,3",
    "POST,/v2/repository/index,r-key,4",
    "POST,/v2/repository/models/m/load,r-key,4",
    "POST,/v2/repository/models/m/unload,r-key,4",
    "GET,/v2/trace/setting,t-key,6",
    "POST,/v2/models/m/trace/setting,t-key,6",
    "POST,/v2/logging,l-key,7",
    "GET,/v2/models/stats,s-key,5",
    "GET,/v2/models/m/stats,s-key,5",
    "GET,/v2/systemsharedmemory/status,shm-key,8",
    "GET,/v2/systemsharedmemory/region/r/status,shm-key,8",
    "POST,/v2/systemsharedmemory/region/r/register,shm-key,8",
    "POST,/v2/systemsharedmemory/unregister,shm-key,8",
    "POST,/v2/systemsharedmemory/region/r/unregister,shm-key,8",
    "GET,/v2/cudasharedmemory/status,shm-key,8",
    "GET,/v2/cudasharedmemory/region/r/status,shm-key,8",
    "POST,/v2/cudasharedmemory/region/r/register,shm-key,8",
    "POST,/v2/cudasharedmemory/unregister,shm-key,8",
    "POST,/v2/cudasharedmemory/region/r/unregister,shm-key,8"
  })
  void aRouteNeedsTheHeaderOfItsCategory(String method, String path, String key, String value)
      throws IOException {
    try (var wire = new HttpWire(server.http())) {
      for (Map<String, String> refused :
          List.of(Map.<String, String>of(), Map.of(key, value + "0"), Map.of("x" + key, value))) {
        var response = wire.send(method, path, new byte[0], refused);

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.text())
            .isEqualTo(
                "{\"error\":\"This API is restricted, expecting header '%s'\"}".formatted(key));
      }
      for (String spelling : List.of(key, key.toUpperCase(Locale.ROOT))) {
        assertThat(wire.send(method, path, new byte[0], Map.of(spelling, value)).status())
            .isNotEqualTo(403);
      }
    }
  }

  @Test
  void theMethodIsCheckedAfterTheHeader() throws IOException {
    try (var wire = new HttpWire(server.http())) {
      assertThat(wire.send("DELETE", "/v2", new byte[0], Map.of()).status()).isEqualTo(403);
      assertThat(wire.send("DELETE", "/v2", new byte[0], Map.of("m-key", "2")).status())
          .isEqualTo(405);
      assertThat(wire.send("GET", "/v3", new byte[0], Map.of()).status()).isEqualTo(404);
    }
  }

  /** The body never comes, and the response does not wait for it. */
  @Test
  void theBodyIsNotRead() throws IOException {
    for (String framing : List.of("Content-Length: 1000000", "Transfer-Encoding: chunked")) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.http().getPort())) {
        socket.setSoTimeout(30_000);
        socket
            .getOutputStream()
            .write(
                "POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n"
                    .formatted(framing)
                    .getBytes(UTF_8));

        assertThat(new String(socket.getInputStream().readNBytes(12), UTF_8))
            .isEqualTo("HTTP/1.1 403");
      }
    }
  }
}
