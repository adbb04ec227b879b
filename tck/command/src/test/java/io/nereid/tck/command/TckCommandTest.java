package io.nereid.tck.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.command.report.JsonReport;
import io.nereid.tck.command.report.SampleRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TckCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder = Path.of("");

  private int run(String... arguments) {
    return TckCommand.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }

  private String output() {
    return folder.resolve("out").toString();
  }

  /** Verifies rules on a server, and stops it. */
  private int verify(HttpServer server, String rules, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--url=http://127.0.0.1:" + server.getAddress().getPort());
    arguments.addAll(List.of("-o", output(), "--rule", rules));
    int status = run(arguments.toArray(String[]::new));
    server.stop(0);
    return status;
  }

  /** A server that sends one response to every request. */
  private static HttpServer answering(int status) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
          }
        });
    server.start();
    return server;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                                     | name one server: --url=http://localhost:8000",
        "--url=http://h:1 --server=x            | name one server",
        "--url=https://h:1                      | --url: expected an address in plain text such as http://localhost:8000, without a path, and got 'https://h:1'",
        "--url=http://h:1/v2                    | --url: expected an address",
        "--url=localhost:8000                   | --url: expected an address",
        "--url=http://h:1 --grpc-url=h:x        | --grpc-url: expected an address in plain text such as localhost:8001",
        "--url=http://h:1 --metrics-url=h       | --metrics-url: expected an address",
        "--server=x --grpc-url=h:1              | --grpc-url and --metrics-url belong to --url",
        "--list --area=HTTPS                    | --area: no rule of servers is of 'HTTPS'; areas are HTTP-STANDARD",
        "--list --rule=HTTP-HEALTH-99           | --rule: there is no rule 'HTTP-HEALTH-99' of servers",
        "--list --except=HTTP-HEALTH-99         | --except: there is no rule 'HTTP-HEALTH-99' of servers",
        "--list --rule=BACKEND-LIFE-01          | --rule: there is no rule 'BACKEND-LIFE-01' of servers",
        "--backend=x                            | --backend needs --models, a model repository",
        "--backend /dev/null --models models    | --backend: '/dev/null'",
        "--backend=x --url=http://h:1           | --backend is verified without a server: leave out --url and --server",
        "--backend=x --list --rule=HTTP-INFER-01 | --rule: there is no rule 'HTTP-INFER-01' of backends",
        "--list --level=must                    | --level: expected required, optional or untested, and got 'must'",
        "--list --rule=HTTP-HEALTH-01 --area=GRPC | no rule is of all that was chosen",
        "--unknown                              | Unknown option: '--unknown'",
        "compare                                | compare needs the results.json of two runs or more",
        "compare /missing /missing              | there is no file '/missing'",
        "models /dev/null                       | '/dev/null' is no folder"
      })
  void tellsWhatIsWrongWithArguments(String arguments, String sentence) {
    int status = run(arguments.isBlank() ? new String[0] : arguments.strip().split(" +"));

    assertThat(status).isEqualTo(2);
    assertThat(err.toString()).startsWith("tck: " + sentence).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void listsTheChosenRules() {
    assertThat(run("--list", "--area=http-standard", "--level=REQUIRED")).isZero();

    assertThat(out.toString().lines())
        .anyMatch(line -> line.matches("HTTP-STANDARD-01 +required +Live and ready are 200\\."))
        .allMatch(line -> line.startsWith("HTTP-STANDARD-"));
  }

  @Test
  void leavesOutRules() {
    assertThat(run("--list", "--area=HTTP-HEALTH", "--except=HTTP-HEALTH-01,http-health-03"))
        .isZero();

    assertThat(out.toString())
        .contains("HTTP-HEALTH-02 ")
        .doesNotContain("HTTP-HEALTH-01 ", "HTTP-HEALTH-03 ");
  }

  @Test
  void listsTheUntestedRulesOfServersAndNoneOfBackends() {
    assertThat(run("--list")).isZero();

    assertThat(out.toString())
        .contains(" untested ", "SHM-01 ", "REPO-02 ")
        .doesNotContain("BACKEND-", "CACHE-SPI", "SCHED-");
  }

  @Test
  void aServerThatDoesNotAnswerIsAWrongArgument() throws IOException {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }

    assertThat(run("--url=http://127.0.0.1:" + port, "-o", output())).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("tck: --url: no server answers at http://127.0.0.1:%d: ".formatted(port));
  }

  @Test
  void skipsRulesOfModelsThatTheServerLacksAndOfAddressesThatItWasNotGiven() throws IOException {
    int status = verify(answering(404), "HTTP-INFER-01,HTTP-REPO-01,GRPC-HEALTH-01,REPO-02");

    assertThat(status).isEqualTo(1);
    assertThat(Files.readString(Path.of(output(), "results.json")))
        .contains("the server has no model 'simple': 404 to ready")
        .contains("there is no address of gRPC")
        .contains("the kit starts no server of this kind with control mode EXPLICIT")
        .doesNotContain("\"passed\"", "\"failed\"");
  }

  @Test
  void aModelThatIsThereAndNotReadyFailsItsRule() throws IOException {
    HttpServer server = answering(200);
    server.createContext(
        "/v2/models/simple/ready",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(503, -1);
          }
        });

    assertThat(verify(server, "HTTP-STANDARD-02")).isEqualTo(1);
    assertThat(out.toString()).contains("FAILED HTTP-STANDARD-02");
  }

  @Test
  void writesReportsOfFailuresWithWhatWasSentAndCame() throws IOException {
    int status = verify(answering(404), "HTTP-STANDARD-01");

    assertThat(status).isEqualTo(1);
    assertThat(out.toString())
        .contains("FAILED HTTP-STANDARD-01  Live and ready are 200.")
        .contains(" does not conform")
        .containsPattern("HTTP-STANDARD +\\. +1 ");
    assertThat(Files.readString(Path.of(output(), "results.json")))
        .contains("GET /v2/health/live", "HttpStandardVerification.");
    assertThat(Path.of(output(), "report.html")).isNotEmptyFile();
    assertThat(Path.of(output(), "junit.xml")).isNotEmptyFile();
  }

  @Test
  void skipsRulesOfExtensionsThatTheServerDoesNotReport() throws IOException {
    int status = verify(answering(200), "HTTP-STANDARD-01,HTTP-LOG-01");

    assertThat(status).isZero();
    assertThat(Files.readString(Path.of(output(), "results.json")))
        .contains("the server does not report the extension 'logging'")
        .doesNotContain("\"failed\"");
  }

  @Test
  void verifiesServersThatTheCallingProgramStarts() throws IOException {
    HttpServer server = answering(200);
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    ServerFactory servers = _ -> new ServerUnderTest(url, "", 0, () -> server.stop(0));
    var printer = new PrintWriter(out, true);
    String[] arguments = {"-o", output(), "--rule", "HTTP-HEALTH-01"};

    assertThat(TckCommand.run(servers, printer, printer, arguments)).as(out.toString()).isZero();

    int twice = TckCommand.run(servers, printer, printer, "-o", output(), "--url", url.toString());
    assertThat(twice).isEqualTo(2);
    assertThat(out.toString())
        .contains("the program starts the servers: leave out --url and --server");
  }

  /**
   * A server that a request has ended: the rule of that request fails, not all of those after it.
   */
  @Test
  void skipsRulesOnceTheServerDoesNotAnswer() throws IOException {
    HttpServer server = answering(404);
    server.createContext("/v2/health/live", _ -> server.stop(0));
    String url = "http://127.0.0.1:" + server.getAddress().getPort();

    int status = run("--url", url, "-o", output(), "--rule", "HTTP-HEALTH-01,HTTP-METADATA-01");

    assertThat(status).isEqualTo(1);
    assertThat(out.toString()).contains("FAILED HTTP-HEALTH-01").doesNotContain("FAILED HTTP-META");
    assertThat(Files.readString(Path.of(output(), "results.json")))
        .contains("the server has stopped to answer during a rule before");
  }

  @Test
  void aSkippedRuleCountsAsAFailedOneIfTheRunIsStrict() throws IOException {
    int status = verify(answering(200), "HTTP-STANDARD-01,GRPC-STANDARD-01");
    int strict = verify(answering(200), "HTTP-STANDARD-01,GRPC-STANDARD-01", "--strict");

    assertThat(status).as(out.toString()).isZero();
    assertThat(strict).isEqualTo(1);
    assertThat(out.toString())
        .contains("conforms as far as it was verified: 1 required rules passed, 0 failed");
  }

  /** What starts no server is a failure of every rule, not a hang or a silence. */
  @Test
  void aCommandThatEndsFailsTheRules() throws IOException {
    assertThat(run("--server=false", "-o", output(), "--rule", "HTTP-HEALTH-01")).isEqualTo(1);

    assertThat(Files.readString(Path.of(output(), "results.json")))
        .contains("the server has ended with status 1: see ", "server.log");
  }

  @Test
  void writesTheModelsAndABackendThatAServerFinds() throws IOException {
    assertThat(run("models", output())).isZero();

    Path models = Path.of(output(), "models");
    assertThat(models.resolve("simple/config.pbtxt")).isNotEmptyFile();
    assertThat(models.resolve("two_versions/3")).isDirectory();
    assertThat(
            List.of(
                "triton/tck_echo/model.py",
                "mlserver/settings.json",
                "mlserver/tck_models.py",
                "kserve/tck_models.py",
                "models.json",
                "README.md"))
        .allSatisfy(file -> assertThat(Path.of(output(), file)).isNotEmptyFile());
    try (var jar = new JarFile(Path.of(output(), "nereid/tck/nereid-tck-backends.jar").toFile())) {
      var service = jar.getEntry("META-INF/services/io.nereid.spi.BackendProvider");
      String names = new String(jar.getInputStream(service).readAllBytes(), UTF_8);
      assertThat(names.lines())
          .isNotEmpty()
          .allMatch(name -> jar.getEntry(name.replace('.', '/') + ".class") != null);
    }
    assertThat(run("models", output())).as("again").isEqualTo(2);
    assertThat(err.toString()).contains("is not empty");
  }

  @Test
  void comparesTheResultsOfRuns() throws IOException {
    Path results = Files.writeString(folder.resolve("a.json"), JsonReport.of(SampleRun.report()));
    Path page = folder.resolve("matrix.html");

    assertThat(run("compare", results.toString(), results.toString(), "-o", page.toString()))
        .isZero();

    assertThat(page).content().contains("HTTP-INFER-01");
  }

  @Test
  void comparesNothingElse() throws IOException {
    Path other = Files.writeString(folder.resolve("a.json"), "{\"format\":2}");

    assertThat(run("compare", other.toString(), other.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is no results.json of this version of the kit (format 1)");
  }
}
