package io.nereid.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.s3.StandIn;
import io.nereid.server.options.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A server whose models are in S3Proxy. The keys are in the environment of this process, as an
 * operator sets them.
 */
@Timeout(180)
class S3ServerTest {
  private static final Path MODELS = Path.of("../../examples/models");
  private static final String REQUEST =
      """
      {"inputs": [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": [1.5, 2.5]}]}
      """;

  @TempDir private static Path directory;
  private static StandIn standIn;

  private final HttpClient client = HttpClient.newHttpClient();

  @Command
  private static final class Serve {
    @Mixin private ServerOptions options = new ServerOptions();
  }

  @BeforeAll
  static void startStandIn() throws IOException {
    standIn = StandIn.start(directory);
  }

  @AfterAll
  static void stopStandIn() {
    standIn.close();
  }

  private static void upload(String repository, String model) throws IOException {
    try (Stream<Path> files = Files.walk(MODELS.resolve(model))) {
      for (Path file : files.filter(S3ServerTest::isModelFile).toList()) {
        standIn.put(repository + "/" + MODELS.relativize(file), Files.readAllBytes(file));
      }
    }
  }

  /** The examples keep an empty version directory in Git by a hidden file. */
  private static boolean isModelFile(Path file) {
    return Files.isRegularFile(file) && !file.getFileName().toString().startsWith(".");
  }

  private static NereidServer start(String repository, String... more) throws IOException {
    var serve = new Serve();
    List<String> arguments =
        List.of(
            "--model-repository=" + standIn.location(repository),
            "--repository-cache-directory=" + directory.resolve("cache"),
            "--server-warmup=0",
            "--http-address=127.0.0.1",
            "--http-port=0",
            "--allow-grpc=false",
            "--allow-metrics=false");
    new CommandLine(serve)
        .parseArgs(Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new));
    var server = new NereidServer(serve.options);
    server.start();
    return server;
  }

  private HttpResponse<String> send(NereidServer server, String method, String path, String body) {
    URI uri = URI.create("http://127.0.0.1:%d/v2/%s".formatted(server.httpPort(), path));
    try {
      return client.send(
          HttpRequest.newBuilder(uri)
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString(UTF_8));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private String infer(NereidServer server, String model) {
    HttpResponse<String> response = send(server, "POST", "models/" + model + "/infer", REQUEST);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  private static List<Path> copies() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("cache"))) {
      return files.filter(file -> file.endsWith("identity_fp32/config.pbtxt")).toList();
    }
  }

  @Test
  void aModelIsLoadedExecutedReloadedAndUnloaded() throws IOException {
    upload("explicit", "identity_fp32");
    try (var server = start("explicit", "--model-control-mode=explicit")) {
      assertThat(send(server, "POST", "repository/index", "").body()).contains("identity_fp32");

      assertThat(send(server, "POST", "repository/models/identity_fp32/load", "").statusCode())
          .isEqualTo(200);
      assertThat(infer(server, "identity_fp32")).contains("\"model_version\":\"1\"", "[1.5,2.5]");

      standIn.put(
          "explicit/identity_fp32/2/model.onnx",
          Files.readAllBytes(MODELS.resolve("identity_fp32/1/model.onnx")));
      assertThat(send(server, "POST", "repository/models/identity_fp32/load", "").statusCode())
          .isEqualTo(200);
      assertThat(infer(server, "identity_fp32")).contains("\"model_version\":\"2\"", "[1.5,2.5]");

      assertThat(send(server, "POST", "repository/models/identity_fp32/unload", "").statusCode())
          .isEqualTo(200);
      assertThat(send(server, "POST", "models/identity_fp32/infer", REQUEST).statusCode())
          .isEqualTo(404);
    }
    assertThat(copies()).isEmpty();
  }

  @Test
  void aChangedObjectIsSeenByAPoll() throws IOException {
    upload("poll", "identity_fp32");
    try (var server = start("poll", "--model-control-mode=poll", "--repository-poll-secs=1")) {
      assertThat(infer(server, "identity_fp32")).contains("\"model_version\":\"1\"");

      standIn.put(
          "poll/identity_fp32/3/model.onnx",
          Files.readAllBytes(MODELS.resolve("identity_fp32/1/model.onnx")));

      while (!infer(server, "identity_fp32").contains("\"model_version\":\"3\"")) {
        Thread.onSpinWait(); // the timeout of the test ends it
      }
    }
  }

  @Test
  void aModelFileWithoutALayoutIsServedAndReloaded() throws IOException {
    byte[] file = Files.readAllBytes(MODELS.resolve("identity_fp32/1/model.onnx"));
    String config =
        Files.readString(MODELS.resolve("identity_fp32/config.pbtxt"))
            .replaceAll("name: \"id.*", "");
    standIn.put("bare/model.onnx", file);
    standIn.put("bare/config.pbtxt", config.getBytes(UTF_8));
    try (var server = start("bare", "--model-name=m", "--model-control-mode=explicit")) {
      assertThat(send(server, "POST", "repository/models/m/load", "").statusCode()).isEqualTo(200);
      assertThat(infer(server, "m")).contains("\"model_version\":\"1\"", "[1.5,2.5]");

      String more = config + "instance_group { count: 2 kind: KIND_CPU }";
      standIn.put("bare/config.pbtxt", more.getBytes(UTF_8));
      assertThat(send(server, "POST", "repository/models/m/load", "").statusCode()).isEqualTo(200);
      assertThat(send(server, "GET", "models/m/config", "").body()).contains("\"count\":2");

      standIn.put("bare/other.onnx", file);
      HttpResponse<String> two = send(server, "POST", "repository/models/m/load", "");
      assertThat(two.statusCode()).isEqualTo(500);
      assertThat(two.body()).contains("has model.onnx and other.onnx: default_model_filename");
      assertThat(infer(server, "m")).contains("[1.5,2.5]");
    }
  }

  @Test
  void anEnsembleOfModelsInTheStoreIsServedWithAnEmptyVersionDirectory() throws IOException {
    for (String model : List.of("digits", "digits_pixels", "digits_label", "digits_ensemble")) {
      upload("ensemble", model);
    }
    standIn.put("ensemble/digits_ensemble/1/", new byte[0]);
    try (var server = start("ensemble")) {
      assertThat(send(server, "GET", "models/digits_ensemble/ready", "").statusCode())
          .isEqualTo(200);
    }
  }
}
