package io.nereid.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.protobuf.prometheus.Prometheus;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics that a backend counts itself, on the server's page. */
@Timeout(120)
class BackendMetricsServerTest {
  private static final String SOURCE =
      """
      package made;

      import io.nereid.config.*;
      import io.nereid.spi.*;
      import io.nereid.spi.metrics.*;
      import java.util.Map;

      public final class Metered implements BackendProvider, Backend, Model, ModelInstance {
        private BackendMetrics metrics;
        private Counter rows;
        private Histogram seconds;

        @Override public String name() { return "metered"; }
        @Override public Backend open(BackendContext context) {
          metrics = context.metrics();
          metrics.gauge("metered_threads", "Threads that are free").set(2.5);
          return this;
        }
        @Override public Model load(ModelFiles files, ModelConfig config) {
          var own = metrics.forModel(config.name(), files.version());
          rows = own.counter("metered_rows_total", "Rows", Map.of("kind", "\\"a\\\\b"));
          seconds = own.histogram("metered_seconds", "Seconds", Map.of(), 0.5, 2);
          if (config.name().equals("fails")) {
            own.gauge("nv_mine", "A name of the server's");
          }
          return this;
        }
        @Override public ModelInstance open(InstanceSettings settings) { return this; }
        @Override public void execute(Batch batch, Results results) {
          rows.add(3);
          seconds.observe(1);
        }
        @Override public void close() {}
      }
      """;

  private static final String CONFIG =
      """
      backend: "metered"
      input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
      """;

  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    Path models = directory.resolve("models");
    ModelOnDisk.of(models, "m", CONFIG);
    ModelOnDisk.of(models, "fails", CONFIG);
    Path backends = directory.resolve("backends");
    BackendFolder.of(backends, "metered").withProviderClass("Metered", SOURCE);
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--backend-directory=" + backends,
                "--model-control-mode=explicit",
                "--load-model=m",
                "--allow-metrics=true",
                "--metrics-port=0"),
            new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpWire.Response page(String accept) {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of("Accept", accept));
    }
  }

  private String control(String path) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", "/v2/repository/models/" + path, "{}".getBytes(UTF_8), Map.of())
          .text();
    }
  }

  private void infer() {
    server.infer(
        "m", "{\"inputs\":[{\"name\":\"IN\",\"datatype\":\"INT32\",\"shape\":[1],\"data\":[1]}]}");
  }

  @Test
  void theyAreInTheTextWithBackendModelAndVersion() {
    infer();
    assertThat(page("text/plain").text())
        .contains(
            """
            # HELP metered_rows_total Rows
            # TYPE metered_rows_total counter
            metered_rows_total{backend="metered",kind="\\"a\\\\b",model="m",version="1"} 3
            # HELP metered_seconds Seconds
            # TYPE metered_seconds histogram
            metered_seconds_bucket{backend="metered",le="0.5",model="m",version="1"} 0
            metered_seconds_bucket{backend="metered",le="2",model="m",version="1"} 1
            metered_seconds_bucket{backend="metered",le="+Inf",model="m",version="1"} 1
            metered_seconds_sum{backend="metered",model="m",version="1"} 1.0
            metered_seconds_count{backend="metered",model="m",version="1"} 1
            # HELP metered_threads Threads that are free
            # TYPE metered_threads gauge
            metered_threads{backend="metered"} 2.5
            """);
  }

  @Test
  void theyAreInTheProtobufToo() throws Exception {
    infer();
    var body =
        new ByteArrayInputStream(
            page("application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily;"
                    + " encoding=delimited")
                .body());
    List<Prometheus.MetricFamily> families = new ArrayList<>();
    while (body.available() > 0) {
      var family = Prometheus.MetricFamily.parseDelimitedFrom(body);
      if (family.getName().startsWith("metered_")) {
        families.add(family);
      }
    }
    assertThat(families)
        .extracting(Prometheus.MetricFamily::getName)
        .containsExactly("metered_rows_total", "metered_seconds", "metered_threads");
    assertThat(families.getFirst().getMetric(0).getCounter().getValue()).isEqualTo(3);
    assertThat(families.get(1).getMetric(0).getHistogram().getSampleCount()).isEqualTo(1);
    assertThat(families.get(2).getMetric(0).getGauge().getValue()).isEqualTo(2.5);
  }

  @Test
  void thoseOfAModelAreGoneOnceItIsUnloaded() throws Exception {
    infer();
    assertThat(control("m/unload")).doesNotContain("error");
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (page("text/plain").text().contains("metered_rows_total")) {
      assertThat(System.nanoTime() - deadline).isNegative();
      Thread.sleep(1);
    }
    assertThat(page("text/plain").text())
        .contains("metered_threads{")
        .doesNotContain("metered_seconds");

    assertThat(control("m/load")).doesNotContain("error");
    assertThat(page("text/plain").text())
        .contains(
            "metered_rows_total{backend=\"metered\",kind=\"\\\"a\\\\b\",model=\"m\",version=\"1\"} 0");
  }

  @Test
  void aNameOfTheServersIsTheReasonWhyAModelIsNotLoadedAndItLeavesNone() {
    assertThat(control("fails/load"))
        .contains(
            "backend 'metered': metric 'nv_mine' has a name of the server's, which begin with nv_"
                + " and nereid_");
    assertThat(page("text/plain").text()).doesNotContain("kind=\"\\\"a\\\\b\",model=\"fails\"");
  }
}
