package io.nereid.server.telemetry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics, log lines and events of models that are loaded, reloaded and unloaded. */
@Timeout(120)
class LifeCycleTelemetryTest {
  private static final String CONFIG =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
      output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }
      instance_group { kind: KIND_CPU count: 1 }
      """;
  private static final String WARMUP =
      """
      model_warmup { name: "zeros" batch_size: 1 count: 2
        inputs { key: "INPUT0" value { data_type: TYPE_FP32 dims: 1 zero_data: true } } }
      """;
  private static final String INPUT =
      "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}]}";
  private static final String LABELS = "{model=\"m\",version=\"1\"} ";

  @TempDir private Path repository;
  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    ModelOnDisk.of(repository, "m", CONFIG);
    server =
        new LocalServer(
            LocalServer.options(
                repository,
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

  private HttpWire.Response post(String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
    }
  }

  private void load(String config) {
    ModelOnDisk.of(repository, "m", config);
    post("/v2/repository/models/m/load", "");
  }

  private void unload() {
    assertThat(post("/v2/repository/models/m/unload", "").status()).isEqualTo(200);
  }

  private String page() {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  /** The value of a metric that may be written a moment after the response. */
  private void awaitMetric(String line) throws InterruptedException {
    String page = page();
    while (!page.contains(line + "\n")) {
      Thread.onSpinWait();
      page = page();
    }
  }

  private String statistics() {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("GET", "/v2/models/m/stats", new byte[0], Map.of()).text();
    }
  }

  @Test
  void metricsCountOnAfterAReloadAndVanishWithTheUnload() throws InterruptedException {
    server.infer("m", INPUT);
    server.infer("m", INPUT);
    awaitMetric("nv_inference_request_success" + LABELS + 2);

    load(CONFIG + "parameters { key: \"a\" value { string_value: \"b\" } }");
    server.infer("m", INPUT);
    awaitMetric("nv_inference_request_success" + LABELS + 3);
    assertThat(page())
        .contains("nv_inference_count" + LABELS + "3\n")
        .contains("nereid_model_state{model=\"m\",state=\"READY\",version=\"1\"} 1\n")
        .contains("nereid_model_loads_total{outcome=\"success\"} 2\n");
    assertThat(statistics()).contains("\"inference_count\":1,");

    unload();
    awaitMetric("nereid_model_unloads_total 2");
    assertThat(page())
        .doesNotContain("nv_inference_request_success{")
        .doesNotContain("nereid_model_state{model=\"m\"");

    load(CONFIG);
    assertThat(page()).contains("nv_inference_request_success" + LABELS + "0\n");
  }

  @Test
  void aFailedReloadIsCountedAndLeavesTheMetricsOfTheVersionThatServes() throws Exception {
    server.infer("m", INPUT);
    awaitMetric("nv_inference_request_success" + LABELS + 1);

    load(CONFIG.replace("tck_echo", "missing"));

    awaitMetric("nereid_model_loads_total{outcome=\"failure\"} 1");
    assertThat(page())
        .contains("nereid_model_state{model=\"m\",state=\"READY\",version=\"1\"} 1\n")
        .contains("nv_inference_request_success" + LABELS + "1\n");
  }

  @Test
  void theLogHasTritonsLines() throws Exception {
    try (var log = new LogCapture("io.nereid.engine.model")) {
      load(CONFIG + "parameters { key: \"a\" value { string_value: \"b\" } }");
      awaitMetric("nereid_model_unloads_total 1");
      load(CONFIG.replace("tck_echo", "missing"));

      assertThat(log.messages())
          .containsSubsequence("loading: m:1", "successfully loaded 'm'", "loading: m:1")
          .contains("successfully unloaded 'm' version 1")
          .anyMatch(line -> line.startsWith("failed to load 'm' version 1: "));
    }
  }

  @Test
  void eventsTellWhatBecameOfAVersion(@TempDir Path directory) throws Exception {
    List<RecordedEvent> events = new ArrayList<>();
    try (var recording = new Recording()) {
      recording.start();
      load(CONFIG.replace("count: 1", "count: 3"));
      load(CONFIG + WARMUP);
      load(CONFIG.replace("tck_echo", "missing"));
      unload();
      awaitMetric("nereid_model_unloads_total 2");
      recording.stop();
      Path file = directory.resolve("flight.jfr");
      recording.dump(file);
      RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().startsWith("nereid."))
          .sorted(Comparator.comparing(RecordedEvent::getEndTime))
          .forEach(events::add);
    }

    assertThat(texts(events, "nereid.InstanceUpdate", "before", "after", "failed"))
        .containsExactly("1 3 false");
    assertThat(texts(events, "nereid.ModelLoad", "version", "instances", "failed"))
        .containsExactly("1 1 false", "1 0 true");
    assertThat(texts(events, "nereid.ModelLoad", "reason").getLast()).contains("'missing'");
    assertThat(texts(events, "nereid.Warmup", "instance", "sample", "failed"))
        .containsExactly("m_0_0 zeros false");
    assertThat(texts(events, "nereid.ModelUnload", "model", "version"))
        .containsExactly("m 1", "m 1");
    assertThat(texts(events, "nereid.ModelState", "from", "to", "reason"))
        .containsExactly("READY UNLOADING ", "UNLOADING UNAVAILABLE unloaded");
  }

  private static List<String> texts(List<RecordedEvent> events, String name, String... fields) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .map(event ->
            String.join(
                " ",
                List.of(fields).stream()
                    .map(field -> event.<Object>getValue(field))
                    .map(String::valueOf)
                    .toList()))
        .toList();
  }
}
