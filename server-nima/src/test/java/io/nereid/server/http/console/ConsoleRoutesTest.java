package io.nereid.server.http.console;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The console over a socket: its files, its data, and who may read them. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleRoutesTest {
  private LocalServer server;

  @BeforeAll
  void start(@TempDir Path models) throws IOException {
    Path version = Files.createDirectories(models.resolve("<b>bold").resolve("1"));
    Files.writeString(version.resolveSibling("config.pbtxt"), "platform: \"nothing\"");
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--exit-on-error=false",
                "--console=true",
                "--console-host=Console.Example",
                "--http-restricted-api=console:c-key=secret",
                "--http-restricted-api=inference:i-key=other"),
            new CheckedBufferPool());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static HttpWire.Response send(
      LocalServer server, String method, String path, Map<String, String> headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, new byte[0], headers);
    }
  }

  private HttpWire.Response get(String path, Map<String, String> headers) {
    return send(server, "GET", path, headers);
  }

  /** Sends a GET with the key and with exactly these fields. */
  private HttpWire.Response getFrom(String path, String... fields) {
    String head =
        "GET %s HTTP/1.1\r\nc-key: secret\r\n%s\r\n\r\n"
            .formatted(path, String.join("\r\n", fields));
    try (var wire = new HttpWire(server.http())) {
      return wire.exchange(head.getBytes(ISO_8859_1));
    }
  }

  @Test
  void isNotServedUnlessAsked(@TempDir Path empty) throws IOException {
    var options = LocalServer.options(empty);
    try (var plain = new LocalServer(options, new CheckedBufferPool())) {
      for (String path :
          List.of("/", "/console", "/console/", "/console/main.js", "/console/data/live")) {
        var response = send(plain, "GET", path, Map.of());
        assertThat(response.status()).as(path).isEqualTo(404);
        assertThat(response.text()).isEqualTo("{\"error\":\"Not Found\"}");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/console/,text/html; charset=utf-8",
    "/console/index.html,text/html; charset=utf-8",
    "/console/main.js,text/javascript; charset=utf-8",
    "/console/console.css,text/css; charset=utf-8",
    "/console/icon.svg,image/svg+xml"
  })
  void filesAreOpenAndMayLoadNothingFromElsewhere(String path, String type) {
    var response = get(path, Map.of());

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo(type);
    assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(response.header("Content-Security-Policy"))
        .isEqualTo(
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'");
  }

  @Test
  void thePageHasItsFolderAsAddress() {
    for (String path : List.of("/", "/console")) {
      var response = get(path, Map.of());

      assertThat(response.status()).as(path).isEqualTo(302);
      assertThat(response.header("Location")).isEqualTo("/console/");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/none.js",
        "/console/ConsoleRoutes.class",
        "/console/../ServerVersion.class",
        "/console/%2e%2e/main.js",
        "/console/a/main.js",
        "/console//main.js",
        "/console/main.js/",
        "/consoles"
      })
  void nothingElseIsServed(String path) {
    assertThat(get(path, Map.of()).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/data/server",
        "/console/data/models",
        "/console/data/live",
        "/console/data/options",
        "/console/data/log/0",
        "/console/data/requests",
        "/console/data/requests/m"
      })
  void dataNeedTheKeyOfTheConsole(String path) {
    for (Map<String, String> refused :
        List.of(Map.<String, String>of(), Map.of("c-key", "secreT"), Map.of("i-key", "other"))) {
      var response = get(path, refused);
      assertThat(response.status()).isEqualTo(403);
      assertThat(response.text()).contains("expecting header 'c-key'");
    }
    var response = get(path, Map.of("c-key", "secret"));
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
    assertThat(response.header("Cache-Control")).isEqualTo("no-store");
    assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
  }

  @Test
  void thereAreNoOtherData() {
    assertThat(get("/console/data/none", Map.of("c-key", "secret")).status()).isEqualTo(404);
    assertThat(get("/console/data/", Map.of("c-key", "secret")).status()).isEqualTo(404);
  }

  @Test
  void filesAndDataAreOnlyRead() {
    for (String path : List.of("/console/", "/console/data/models")) {
      for (String method : List.of("POST", "PUT", "DELETE")) {
        var response = send(server, method, path, Map.of("c-key", "secret"));
        assertThat(response.status()).as("%s %s", method, path).isEqualTo(405);
        assertThat(response.header("Allow")).isEqualTo("GET");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:8000",
        "a.localhost:1",
        "127.0.0.1",
        "10.0.0.7:8000",
        "[::1]:8000",
        "console.example",
        "CONSOLE.example:443"
      })
  void addressesAndNamedHostsAreServed(String host) {
    assertThat(getFrom("/console/data/server", "Host: " + host).status()).isEqualTo(200);
    assertThat(getFrom("/console/", "Host: " + host).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rebound.example",
        "localhost.example",
        "127.0.0.1.example",
        "1.2.3.4.5",
        "x.console.example"
      })
  void otherHostsAreRefused(String host) {
    for (String path : List.of("/console/", "/console/data/server")) {
      var response = getFrom(path, "Host: " + host);
      assertThat(response.status()).as(path).isEqualTo(403);
      assertThat(response.text())
          .contains("the console is not served for host '" + host + "'; --console-host");
    }
  }

  @Test
  void pagesOfOtherOriginsAreRefused() {
    for (String origin : List.of("http://localhost:8000", "https://LOCALHOST:8000")) {
      assertThat(fromPage(origin).status()).as(origin).isEqualTo(200);
    }
    for (String origin :
        List.of("http://localhost", "http://localhost:8001", "https://evil.example", "null")) {
      var response = fromPage(origin);
      assertThat(response.status()).as(origin).isEqualTo(403);
      assertThat(response.text()).contains("not served to pages of origin '" + origin + "'");
    }
  }

  private HttpWire.Response fromPage(String origin) {
    return getFrom("/console/data/server", "Host: localhost:8000", "Origin: " + origin);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/data/decisions/m",
        "/console/data/decisions/m/",
        "/console/data/decisions/m/x",
        "/console/data/decisions/m/1/2",
        "/console/data/decisions/m/1234567890123456789"
      })
  void decisionsAreOfAVersion(String path) {
    assertThat(get(path, Map.of("c-key", "secret")).text()).contains("Not Found");
  }

  @Test
  void aConfigurationHasItsLinesAndTheFindingsOfLint() {
    var response = get("/console/data/configuration/%3Cb%3Ebold", Map.of("c-key", "secret"));

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.text())
        .contains("\"lines\":{\"platform\":\"config.pbtxt, line 1\"}")
        .contains("\"severity\":\"error\",\"file\":\"config.pbtxt\"");
  }

  @ParameterizedTest
  @CsvSource({
    "none,404,no directory has it",
    "..,400,path traversal",
    "%2e%2e,400,path traversal",
    "..%2F..,400,path traversal",
    "a%00b,400,path traversal",
    "%20,400,cannot be empty"
  })
  void aConfigurationIsOfAModelOfTheRepositories(String name, int status, String error) {
    var response = get("/console/data/configuration/" + name, Map.of("c-key", "secret"));

    assertThat(response.status()).isEqualTo(status);
    assertThat(response.text()).contains(error);
  }

  @Test
  void decisionsOnAModelThatIsNotLoadedAreNotKnown() {
    for (String method : List.of("GET", "POST")) {
      var path = "/console/data/decisions/%3Cb%3Ebold/1";
      var response = send(server, method, path, Map.of("c-key", "secret"));
      assertThat(response.status()).isEqualTo(404);
      assertThat(response.text())
          .contains("model '<b>bold' version 1 has no scheduler to watch: it is not loaded");
      assertThat(send(server, method, path, Map.of()).status()).isEqualTo(403);
    }
  }

  @Test
  void optionsHaveTheirValuesAndOriginsWithoutSecrets() {
    assertThat(get("/console/data/options", Map.of("c-key", "secret")).text())
        .contains(
            "\"name\":\"--console-host\",\"given\":true,\"values\":[\"Console.Example\"]",
            "\"name\":\"--http-restricted-api\",\"given\":true,\"values\":[\"console:c-key=***\",\"inference:i-key=***\"]",
            "\"name\":\"--exit-timeout-secs\",\"given\":false,\"values\":[\"30\"]",
            "\"name\":\"--http-port\",\"given\":true,\"values\":[\"0\"]")
        .doesNotContain("secret\"", "other\"");
  }

  /** The log of this process is that of the tests. */
  @Test
  void theLogOfAnotherProgramIsNotShown() {
    assertThat(get("/console/data/log/0", Map.of("c-key", "secret")).text()).isEqualTo("[]");
  }

  @Test
  void modelsHaveTheReasonWhyTheyDidNotLoad() {
    var response = get("/console/data/models", Map.of("c-key", "secret"));

    assertThat(response.text())
        .contains("\"name\":\"<b>bold\"")
        .contains("\"state\":\"UNAVAILABLE\"")
        .contains("config.pbtxt");
  }
}
