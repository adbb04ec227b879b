package io.nereid.server.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text models over HTTP, and what lint says of them. */
class TextServerTest {
  private static final Path MODELS = Path.of("..", "backend-text/src/test/resources/models");

  private static final String TEXT =
      """
      {"name": "TEXT", "datatype": "BYTES", "shape": [1, 1], "data": ["%s"]}\
      """;

  @TempDir private Path repository;

  private static Object infer(LocalServer server, String model, String text, String parameters) {
    return server.infer(
        model,
        "{\"inputs\": [%s], \"parameters\": {%s}}".formatted(TEXT.formatted(text), parameters));
  }

  @Test
  void aFolderWithoutALayoutIsATextModel() throws IOException {
    try (var server =
        new LocalServer(
            LocalServer.options(MODELS.resolve("mean/1"), "--model-name=sea"),
            new CheckedBufferPool())) {
      Object response = infer(server, "sea", "the sea is deep", "\"dimensions\": 3");

      Object embedding = LocalServer.output(response, "EMBEDDING");
      assertThat(Json.list(embedding, "shape")).hasToString("[1, 3]");
      assertThat(Json.list(LocalServer.output(response, "TOKENS"), "data")).hasToString("[6]");
    }
  }

  @Test
  void aTextThatIsTooLongIsTheClientsMistake() throws IOException {
    try (var server = new LocalServer(MODELS);
        var wire = new HttpWire(server.http())) {
      String body =
          "{\"inputs\": [%s], \"parameters\": {\"truncate\": false}}"
              .formatted(TEXT.formatted("sea ".repeat(20)));
      HttpWire.Response refused =
          wire.send("POST", "/v2/models/mean/infer", body.getBytes(UTF_8), Map.of());

      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains(
              "model 'mean': the text in row 0 has 22 tokens; the model takes 16 tokens at most");
    }
  }

  private static LintReport lint(BackendCatalog backends, Path repository) {
    var settings =
        new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.of(backends));
    return RepositoryLint.run(settings, List.of(repository));
  }

  @Test
  void lintLoadsAModelWithItsGraph() throws IOException {
    var backends = new BackendCatalog(new PluginSettings(Path.of("none"), Map.of()), List.of());
    try {
      LintReport report = lint(backends, MODELS);
      assertThat(report.errors()).isZero();
      assertThat(report.findings().toString()).contains("its graph runs one text at a time");

      Path folder = Files.createDirectories(repository.resolve("broken/1"));
      Files.copy(MODELS.resolve("mean/1/config.json"), folder.resolve("config.json"));
      Files.writeString(folder.resolve("tokenizer.json"), "{}");
      Files.writeString(folder.resolve("model.onnx"), "");

      assertThat(lint(backends, repository).errors()).isPositive();
    } finally {
      backends.close();
    }
  }
}
