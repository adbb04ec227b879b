package io.nereid.engine.model.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lint makes of a backend that fails. */
class LintedBackendTest {
  @TempDir private Path repository;

  private record Undecided() implements BackendProvider, Backend {
    @Override
    public String name() {
      return "undecided";
    }

    @Override
    public Backend open(BackendContext context) {
      return this;
    }

    @Override
    public boolean runsCodeOf(ModelConfig config) {
      throw new IllegalStateException("no answer");
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      throw new AssertionError("lint loads");
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  /** A backend whose loads end when its gate opens. */
  private record Slow(CountDownLatch gate) implements BackendProvider, Backend {
    @Override
    public String name() {
      return "slow";
    }

    @Override
    public Backend open(BackendContext context) {
      return this;
    }

    @Override
    public boolean runsCodeOf(ModelConfig config) {
      return false;
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      try {
        gate.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      throw InferenceException.invalid("it ends");
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  /** A backend that refuses all models for one reason. */
  private record Refusing() implements BackendProvider, Backend {
    @Override
    public String name() {
      return "refusing";
    }

    @Override
    public Backend open(BackendContext context) {
      return this;
    }

    @Override
    public ModelConfig complete(ModelFiles files, ModelConfig config) {
      throw InferenceException.invalid("model '%s' needs --allow".formatted(config.name()));
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      throw new AssertionError("lint loads");
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  @Test
  void whatABackendRefusesModelsForIsOneErrorAndNoneOfTheirCallers() {
    model("a", "");
    model("b", "parameters { key: \"calls\" value { string_value: \"a, c\" } }");
    model("c", "");

    LintReport report = lint(new Refusing());

    assertThat(report.models()).isEqualTo(3);
    assertThat(report.findings())
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.file()).isEqualTo(repository.resolve("a/config.pbtxt"));
          assertThat(finding.message())
              .isEqualTo("model 'a' needs --allow; the same holds for 'b', 'c'");
        });
  }

  @Test
  void aCalledModelThatIsMissingIsAnErrorOfARefusedCallerToo() {
    model("b", "parameters { key: \"calls\" value { string_value: \"missing\" } }");

    assertThat(lint(new Refusing()).findings())
        .extracting(Finding::message)
        .containsExactly(
            "model 'b' needs --allow", "model 'b' calls model 'missing', which is not available");
  }

  private void model(String name, String more) {
    ModelOnDisk.of(
        repository,
        name,
        """
        backend: "refusing"
        input { name: "x" data_type: TYPE_FP32 dims: 1 }
        output { name: "y" data_type: TYPE_FP32 dims: 1 }
        """
            + more);
  }

  private LintReport lint(BackendProvider own) {
    try (var backends =
        new BackendCatalog(new PluginSettings(repository.resolve("no"), Map.of()), List.of(own))) {
      var settings =
          new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.of(backends));
      return RepositoryLint.run(settings, List.of(repository));
    }
  }

  @Test
  void aLoadThatDoesNotEndIsAWarning() {
    ModelOnDisk.of(
            repository,
            "m",
            """
            backend: "slow"
            input { name: "x" data_type: TYPE_FP32 dims: 1 }
            output { name: "y" data_type: TYPE_FP32 dims: 1 }
            """)
        .withDirectory("1");
    CountDownLatch gate = new CountDownLatch(1);
    List<BackendProvider> own = List.of(new Slow(gate));

    try (var backends =
        new BackendCatalog(new PluginSettings(repository.resolve("m/1"), Map.of()), own)) {
      var settings =
          new LintSettings(
              Optional.empty(),
              ConfigSettings.DEFAULT,
              Optional.of(backends),
              Duration.ofMillis(1));
      LintReport report = RepositoryLint.run(settings, List.of(repository));

      assertThat(report.errors()).isZero();
      assertThat(report.findings())
          .singleElement()
          .satisfies(finding ->
              assertThat(finding.message())
                  .isEqualTo(
                      "version 1 has not loaded in 0 s, so lint does not know whether it does;"
                          + " --load-timeout-secs is how long it waits"));
    } finally {
      gate.countDown();
    }
  }

  @Test
  void aBackendThatDoesNotTellWhetherALoadRunsCodeIsAFinding() {
    ModelOnDisk.of(
        repository,
        "m",
        """
        backend: "undecided"
        input { name: "x" data_type: TYPE_FP32 dims: 1 }
        output { name: "y" data_type: TYPE_FP32 dims: 1 }
        """);
    List<BackendProvider> own = List.of(new Undecided());

    try (var backends =
        new BackendCatalog(new PluginSettings(repository.resolve("m/1"), Map.of()), own)) {
      var settings =
          new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.of(backends));
      LintReport report = RepositoryLint.run(settings, List.of(repository));

      assertThat(report.findings())
          .singleElement()
          .satisfies(finding ->
              assertThat(finding.message())
                  .isEqualTo(
                      "model 'm': Backend.runsCodeOf of backend 'undecided' failed unexpectedly:"
                          + " java.lang.IllegalStateException: no answer"));
    }
  }
}
