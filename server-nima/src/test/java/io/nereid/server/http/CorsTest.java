package io.nereid.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests of pages from elsewhere, as browsers send them (Fetch Standard, CORS protocol). */
@Timeout(60)
class CorsTest {
  private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
  private static final String PAGE = "https://page.example:8443";
  private static final Map<String, String> PREFLIGHT =
      Map.of(
          "Origin", PAGE,
          "Access-Control-Request-Method", "POST",
          "Access-Control-Request-Headers", "content-type,inference-header-content-length");

  @TempDir private Path models;

  private LocalServer start(String... options) throws IOException {
    return new LocalServer(LocalServer.options(models, options), new CheckedBufferPool());
  }

  private static HttpWire.Response send(
      LocalServer server, String method, String path, Map<String, String> headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, new byte[0], headers);
    }
  }

  @Test
  void browsersGetNoPermissionByDefault() throws IOException {
    try (var server = start()) {
      var read = send(server, "GET", "/v2", Map.of("Origin", PAGE));
      assertThat(read.status()).isEqualTo(200);
      assertThat(read.headers())
          .doesNotContainKeys(ALLOW_ORIGIN, ALLOW_ORIGIN.toLowerCase(Locale.ROOT));
      assertThat(send(server, "OPTIONS", "/v2", PREFLIGHT).status()).isEqualTo(405);
    }
  }

  @Test
  void aPermittedPageMayReadResponsesAndErrors() throws IOException {
    try (var server = start("--http-cors-origin=https://other", "--http-cors-origin=" + PAGE)) {
      for (String path : new String[] {"/v2", "/v2/models/none", "/elsewhere"}) {
        var response = send(server, "GET", path, Map.of("Origin", PAGE));
        assertThat(response.header(ALLOW_ORIGIN)).as(path).isEqualTo(PAGE);
        assertThat(response.header("Vary")).isEqualTo("Origin");
        assertThat(response.header("Access-Control-Expose-Headers"))
            .contains("Inference-Header-Content-Length");
      }
    }
  }

  @Test
  void aPermittedPageLearnsWhatItMaySend() throws IOException {
    try (var server = start("--http-cors-origin=" + PAGE)) {
      var response = send(server, "OPTIONS", "/v2/models/m/infer", PREFLIGHT);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header(ALLOW_ORIGIN)).isEqualTo(PAGE);
      assertThat(response.header("Access-Control-Allow-Methods")).isEqualTo("GET, POST");
      assertThat(response.header("Access-Control-Allow-Headers"))
          .isEqualTo("content-type,inference-header-content-length");
      assertThat(response.header("Access-Control-Max-Age")).isEqualTo("600");
    }
  }

  @Test
  void anotherPageGetsNoPermission() throws IOException {
    try (var server = start("--http-cors-origin=https://other")) {
      for (String method : new String[] {"GET", "OPTIONS"}) {
        assertThat(send(server, method, "/v2", PREFLIGHT).headers())
            .doesNotContainKeys(ALLOW_ORIGIN, ALLOW_ORIGIN.toLowerCase(Locale.ROOT));
      }
    }
  }

  @Test
  void anyPageMayBePermitted() throws IOException {
    try (var server = start("--http-cors-origin=*")) {
      assertThat(send(server, "GET", "/v2", Map.of("Origin", PAGE)).header(ALLOW_ORIGIN))
          .isEqualTo("*");
      assertThat(send(server, "OPTIONS", "/v2", PREFLIGHT).header(ALLOW_ORIGIN)).isEqualTo("*");
    }
  }

  @Test
  void aPreflightNeedsNoHeaderOfARestrictedApi() throws IOException {
    try (var server =
        start("--http-cors-origin=" + PAGE, "--http-restricted-api=metadata:key=value")) {
      assertThat(send(server, "OPTIONS", "/v2", PREFLIGHT).status()).isEqualTo(200);
      assertThat(send(server, "GET", "/v2", Map.of("Origin", PAGE)).status()).isEqualTo(403);
    }
  }
}
