package io.nereid.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.metrics.exposition.ParsedPage;
import io.nereid.server.protobuf.prometheus.Prometheus;
import io.nereid.server.support.StreamEnd;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Samples;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quantiles and first responses of real requests, on the metrics page. */
@Timeout(120)
class LatencyMetricsTest {
  private static final String FIRST = "nv_inference_first_response_histogram_ms";
  private static final String SUMMARY = "nv_inference_request_summary_us";

  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path repository) throws IOException {
    TckModels.extractTo(repository);
    Files.writeString(
        repository.resolve("repeat/config.pbtxt"),
        """

        model_metrics {
          metric_control {
            metric_identifier { family: "nv_inference_first_response_histogram_ms" }
            histogram_options { buckets: [ 60000, 0.25 ] }
          }
          metric_control {
            metric_identifier { family: "nv_unheard_of" }
            histogram_options { buckets: [ 1 ] }
          }
        }
        """,
        StandardOpenOption.APPEND);
    ModelOnDisk.of(
        repository,
        "pair",
        """
        platform: "ensemble"
        input { name: "A" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "B" data_type: TYPE_INT32 dims: [ -1 ] }
        ensemble_scheduling {
          step { model_name: "identity_int32" model_version: -1
            input_map { key: "INPUT0" value: "A" } output_map { key: "OUTPUT0" value: "B" } }
        }
        """);
    var options =
        LocalServer.options(
            repository,
            "--allow-metrics=true",
            "--metrics-port=0",
            "--metrics-config=summary_latencies=true",
            "--metrics-config=histogram_latencies=true");
    server = new LocalServer(options, new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String page() {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  private void infer(String model, String input) {
    server.infer(
        model,
        "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[2],\"data\":[1,2]}]}"
            .formatted(input));
  }

  private void awaitSample(String sample) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!page().contains(sample + "\n")) {
      assertThat(System.nanoTime() - deadline).as("no %s in %s", sample, page()).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void countsOneFirstResponsePerRequestOfModelsAndEnsembles() {
    infer("pair", "A");
    infer("identity_int32", "INPUT0");

    awaitSample(FIRST + "_count{model=\"identity_int32\",version=\"1\"} 2");
    awaitSample(FIRST + "_count{model=\"pair\",version=\"1\"} 1");
    assertThat(page())
        .contains(FIRST + "_bucket{le=\"100\",model=\"pair\",version=\"1\"}")
        .contains(FIRST + "_bucket{le=\"5000\",model=\"pair\",version=\"1\"} 1\n")
        .contains(FIRST + "_bucket{le=\"+Inf\",model=\"pair\",version=\"1\"} 1\n");
  }

  @Test
  void countsOneFirstResponsePerDecoupledRequestInTheBucketsOfItsModel() throws Exception {
    var ended = new StreamEnd();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(server.channel()).modelStreamInfer(ended);
    var request = ModelInferRequest.newBuilder().setModelName("repeat");
    request.addInputsBuilder().setName("IN").setDatatype("INT32").addShape(3);
    request.addRawInputContents(ByteString.copyFrom(Samples.ints(7, 8, 9)));
    stream.onNext(request.build());
    stream.onCompleted();
    ended.await();

    assertThat(page())
        .contains(FIRST + "_bucket{le=\"0.25\",model=\"repeat\",version=\"1\"}")
        .contains(FIRST + "_bucket{le=\"60000\",model=\"repeat\",version=\"1\"} 1\n")
        .contains(FIRST + "_count{model=\"repeat\",version=\"1\"} 1\n")
        .doesNotContain(FIRST + "_bucket{le=\"100\",model=\"repeat\"");
  }

  @Test
  void thePageIsValidTextWithTheHistogramsOfPhases() {
    infer("identity_int32", "INPUT0");
    awaitSample(
        "nereid_inference_duration_seconds_count"
            + "{model=\"identity_int32\",phase=\"request\",version=\"1\"} 1");

    try (var wire = new HttpWire(server.metrics())) {
      HttpWire.Response response = wire.send("GET", "/metrics", new byte[0], Map.of());
      assertThat(response.header("Content-Type"))
          .isEqualTo("text/plain; version=0.0.4; charset=utf-8");
      var page = new ParsedPage(response.text());
      assertThat(page.types())
          .containsEntry("nereid_inference_duration_seconds", "histogram")
          .containsEntry("nereid_grpc_event_loop_pending_tasks", "gauge");
    }
  }

  @Test
  void aClientThatPrefersProtobufGetsNativeHistograms() throws IOException {
    infer("identity_int32", "INPUT0");
    awaitSample(SUMMARY + "_count{model=\"identity_int32\",version=\"1\"} 1");
    String type =
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily;"
            + " encoding=delimited";

    try (var wire = new HttpWire(server.metrics())) {
      HttpWire.Response response =
          wire.send(
              "GET", "/metrics", new byte[0], Map.of("Accept", type + ";q=0.6,text/plain;q=0.3"));
      assertThat(response.header("Content-Type")).isEqualTo(type);
      var input = new ByteArrayInputStream(response.body());
      Prometheus.Histogram queue = null;
      while (input.available() > 0) {
        var family = Prometheus.MetricFamily.parseDelimitedFrom(input);
        if (family.getName().equals("nereid_inference_duration_seconds")) {
          queue =
              family.getMetricList().stream()
                  .filter(metric -> metric.getLabel(1).getValue().equals("queue"))
                  .findFirst()
                  .orElseThrow()
                  .getHistogram();
        }
      }
      assertThat(Objects.requireNonNull(queue).getSchema()).isEqualTo(2);
      assertThat(queue.getSampleCount()).isEqualTo(1);
      assertThat(queue.getPositiveSpanCount() + queue.getZeroCount()).isEqualTo(1);
    }
  }

  @Test
  void aClientThatAcceptsGzipGetsACompressedPage() throws IOException {
    try (var wire = new HttpWire(server.metrics())) {
      HttpWire.Response response =
          wire.send("GET", "/metrics", new byte[0], Map.of("Accept-Encoding", "br, gzip;q=0.5"));
      assertThat(response.header("Content-Encoding")).isEqualTo("gzip");
      try (var gzip = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
        assertThat(new ParsedPage(new String(gzip.readAllBytes(), UTF_8)).types())
            .containsEntry("nv_inference_count", "counter");
      }
      HttpWire.Response refused =
          wire.send("GET", "/metrics", new byte[0], Map.of("Accept-Encoding", "gzip;q=0"));
      assertThat(refused.header("Content-Encoding")).isEmpty();
    }
  }

  @Test
  void summariesHaveQuantilesOfRecentRequests() {
    assertThat(page())
        .contains(SUMMARY + "{model=\"identity_int32\",quantile=\"0.999\",version=\"1\"} NaN\n");
    infer("identity_int32", "INPUT0");

    awaitSample(SUMMARY + "_count{model=\"identity_int32\",version=\"1\"} 1");
    assertThat(page())
        .containsPattern(
            SUMMARY + "\\{model=\"identity_int32\",quantile=\"0.999\",version=\"1\"} [0-9]+\n");
  }
}
