package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.spi.metrics.Counter;
import io.nereid.spi.metrics.MetricFamily;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.model.OpenBackend;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TestContextTest {
  @Test
  void hasTheOptionsThatATestGivesIt() {
    var context = TestContext.of("b", Map.of("threads", "4")).withFolder(Path.of("jars"));

    assertThat(context.name()).isEqualTo("b");
    assertThat(context.options().integer("threads", 1)).isEqualTo(4);
    assertThat(context.folder()).contains(Path.of("jars").toAbsolutePath());
    assertThat(context.withOptions(Map.of()).options().integer("threads", 1)).isEqualTo(1);
    assertThat(context.withOptions(Map.of()).folder()).isEqualTo(context.folder());
  }

  @Test
  void keepsTheLinesFromInformationOn() {
    var context = TestContext.of("b");
    System.Logger log = context.logger();

    log.log(Level.DEBUG, "a detail");
    log.log(Level.INFO, "{0} threads", 4);
    log.log(Level.WARNING, () -> "supplied");
    log.log(Level.ERROR, "failed", new IllegalStateException("of a test"));
    log.log(Level.OFF, "nothing");

    assertThat(context.lines())
        .containsExactly(
            "INFO 4 threads",
            "WARNING supplied",
            "ERROR failed: java.lang.IllegalStateException: of a test");
    assertThat(log.getName()).isEqualTo("io.nereid.backend.b");
  }

  @Test
  void hasTheMetricsOfTheBackendForATestToRead() {
    var context = TestContext.of("b");
    context.metrics().counter("rows_total", "Rows", Map.of("kind", "dense")).add(3);
    context.metrics().forModel("m", 1).gauge("memory_bytes", "Memory").set(8);

    assertThat(context.store().families())
        .extracting(MetricFamily::name)
        .containsExactly("memory_bytes", "rows_total");
    assertThat(context.store().families().getLast().metric(Map.of("kind", "dense")))
        .containsInstanceOf(Counter.class)
        .get()
        .returns(3L, counter -> ((Counter) counter).value());
  }

  /** Registers a metric for its model. */
  private static final class Metered implements BackendProvider, Backend {
    private @Nullable BackendMetrics metrics;

    @Override
    public String name() {
      return "b";
    }

    @Override
    public Backend open(BackendContext context) {
      metrics = context.metrics();
      return this;
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      var _ =
          Objects.requireNonNull(metrics)
              .forModel(config.name(), files.version())
              .counter("rows_total", "Rows");
      return new Model() {
        @Override
        public ModelInstance open(InstanceSettings settings) {
          throw InferenceException.unsupported("no instances");
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }

  @Test
  void theMetricsOfAModelAreGoneWhenTheKitHasClosedIt() {
    ModelConfig config = ModelConfig.of("m", "b");
    var tested = BackendUnderTest.of(new Metered(), new ModelFiles(Path.of("m"), 1), config);
    try (var backend = OpenBackend.of(tested, CallSettings.DEFAULT)) {
      Model model = backend.load(config);
      assertThat(tested.context().store().families()).hasSize(1);
      backend.close(model);
      assertThat(tested.context().store().families()).isEmpty();
    }
  }

  @Test
  void keepsTheLastThousandLines() {
    var context = TestContext.of("b");
    for (int i = 0; i <= 1000; i++) {
      context.logger().log(Level.INFO, "line " + i);
    }
    assertThat(context.lines()).hasSize(1000).first().isEqualTo("INFO line 1");
  }
}
