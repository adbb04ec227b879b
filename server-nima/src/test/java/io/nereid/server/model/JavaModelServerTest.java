package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.NereidCommand;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models of the backend {@code java} in a server, and who may have the server run them. */
@Timeout(180)
class JavaModelServerTest {
  private static final String CONFIG =
      """
      backend: "java"
      input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }
      """;

  private static final String SOURCE =
      """
      import io.nereid.java.*;

      public final class Model implements JavaModel {
        @Override
        public Response infer(Request request, Calls calls) {
          float[] x = TensorArrays.floats(request.input("x"));
          for (int i = 0; i < x.length; i++) {
            x[i] *= 2;
          }
          return Response.of(TensorArrays.of("y", x, x.length));
        }
      }
      """;

  private static final String REQUEST =
      "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [2], \"data\": [1, 2]}]}";

  private static final String ALLOWED = "--backend-config=java,allow=true";

  @TempDir private Path folder = Path.of("");
  private Path repository = Path.of("");

  @BeforeEach
  void makeModels() throws IOException {
    repository = Files.createDirectory(folder.resolve("repository"));
    ModelOnDisk.of(repository, "good", CONFIG).withFile("1/Model.java", SOURCE);
    ModelOnDisk.of(repository, "broken", CONFIG)
        .withFile("1/Model.java", SOURCE.replace("x[i] *= 2;", "x[i] *= two;"));
  }

  private LocalServer server(String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--model-control-mode=explicit"));
    all.addAll(List.of(options));
    return new LocalServer(
        LocalServer.options(repository, all.toArray(String[]::new)), new CheckedBufferPool());
  }

  private static HttpWire.Response post(LocalServer server, String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
    }
  }

  private static HttpWire.Response load(LocalServer server, String model, String body) {
    return post(server, "/v2/repository/models/%s/load".formatted(model), body);
  }

  @Test
  void aSourceInTheRepositoryAnswersOverHttpAndAgainOnceItHasChanged() throws IOException {
    try (var server = server(ALLOWED)) {
      assertThat(load(server, "good", "").status()).isEqualTo(200);
      assertThat(post(server, "/v2/models/good/infer", REQUEST).text()).contains("[2.0,4.0]");

      Files.writeString(repository.resolve("good/1/Model.java"), SOURCE.replace("*= 2", "+= 5"));
      assertThat(load(server, "good", "").status()).isEqualTo(200);
      assertThat(post(server, "/v2/models/good/infer", REQUEST).text()).contains("[6.0,7.0]");
    }
  }

  @Test
  void whoLoadsAModelThatDoesNotCompileSeesFileLineAndMessage() throws IOException {
    try (var server = server(ALLOWED)) {
      HttpWire.Response response = load(server, "broken", "");

      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).contains("Model.java:8: cannot find symbol", "variable two");
      assertThat(post(server, "/v2/repository/index", "").text()).contains("Model.java:8: ");
    }
  }

  @Test
  void lintHasTheSameSentence() {
    var out = new StringWriter();

    assertThat(NereidCommand.run(out, out, "lint", ALLOWED, repository.toString())).isOne();
    assertThat(out.toString())
        .contains("Model.java:8: cannot find symbol", "variable two", "1 error in 2 models");
  }

  @Test
  void noModelRunsUnlessTheOperatorAllowsIt() throws IOException {
    try (var server = server()) {
      assertThat(load(server, "good", "").text())
          .contains("model 'good' of backend 'java' is refused: ", "has not set " + ALLOWED);
    }
  }

  @Test
  void noCodeAndNoConfigurationOfALoadRequestRuns() throws IOException {
    String config =
        """
        {\\"backend\\": \\"java\\", \
        \\"input\\": [{\\"name\\": \\"x\\", \\"data_type\\": \\"TYPE_FP32\\", \\"dims\\": [-1]}], \
        \\"output\\": [{\\"name\\": \\"y\\", \\"data_type\\": \\"TYPE_FP32\\", \\"dims\\": [-1]}]}\
        """;
    String file = Base64.getEncoder().encodeToString(SOURCE.getBytes(UTF_8));
    try (var server = server(ALLOWED)) {
      String byConfig =
          load(server, "good", "{\"parameters\": {\"config\": \"%s\"}}".formatted(config)).text();
      String byFile =
          load(
                  server,
                  "sent",
                  "{\"parameters\": {\"config\": \"%s\", \"file:1/Model.java\": \"%s\"}}"
                      .formatted(config, file))
              .text();

      assertThat(byConfig).contains("model 'good' of backend 'java' is refused in a load request");
      assertThat(byFile).contains("model 'sent' of backend 'java' is refused in a load request");
    }
  }

  @Test
  void modelsThatComputeForLongDoNotStopTheServer() throws Exception {
    int busy = Runtime.getRuntime().availableProcessors() + 1;
    Path end = folder.resolve("end");
    Path begun = Files.createDirectory(folder.resolve("begun"));
    String source =
        SOURCE.replace(
            "float[] x =",
            """
            try {
              java.nio.file.Files.createTempFile(java.nio.file.Path.of("%s"), "", "");
            } catch (java.io.IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
            long spins = 0;
            while (spins++ %% 100_000 != 0 || !java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) {}
            calls.infer("good", request.input("x")).close();
            float[] x =\
            """
                .formatted(begun, end));
    String more =
        """
        instance_group { count: %d kind: KIND_CPU }
        parameters { key: "calls" value { string_value: "good" } }
        """
            .formatted(busy);
    ModelOnDisk.of(repository, "busy", CONFIG + more).withFile("1/Model.java", source);
    try (var server = server(ALLOWED)) {
      assertThat(load(server, "busy", "").status()).isEqualTo(200);
      List<CompletableFuture<String>> sent = new ArrayList<>();
      for (int i = 0; i < busy; i++) {
        sent.add(
            CompletableFuture.supplyAsync(
                () -> post(server, "/v2/models/busy/infer", REQUEST).text(),
                task -> Thread.ofPlatform().start(task)));
      }
      while (files(begun) < busy) {
        LockSupport.parkNanos(1_000_000);
      }

      assertThat(post(server, "/v2/models/good/infer", REQUEST).text()).contains("[2.0,4.0]");

      Files.createFile(end);
      for (CompletableFuture<String> each : sent) {
        assertThat(each.get(60, TimeUnit.SECONDS)).contains("[2.0,4.0]");
      }
    }
  }

  private static long files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.count();
    }
  }
}
