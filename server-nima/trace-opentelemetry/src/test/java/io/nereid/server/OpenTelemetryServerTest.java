package io.nereid.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.server.Collector.ReceivedSpan;
import io.nereid.server.options.ServerOptions;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Traces of a server in a collector: what is sent by OTLP over HTTP. */
@Timeout(120)
class OpenTelemetryServerTest {
  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT_ID = "b7ad6b7169203331";
  private static final String TRACE_PARENT = "00-" + TRACE_ID + "-" + PARENT_ID + "-01";

  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
      ensemble_scheduling {
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "IN" } output_map { key: "OUTPUT0" value: "t" } }
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "t" } output_map { key: "OUTPUT0" value: "OUT" } }
      }
      """;

  @Command
  private static final class Serve {
    @Mixin private ServerOptions options = new ServerOptions();
  }

  @TempDir private Path models;
  private Collector collector;

  @BeforeEach
  void prepare() throws IOException {
    collector = new Collector();
    RepositoryFolder.at(models).addEcho("m");
    RepositoryFolder.at(models).add("e", ENSEMBLE, 1);
  }

  @AfterEach
  void stopCollector() {
    collector.close();
  }

  private NereidServer start(String url, String... more) throws IOException {
    var serve = new Serve();
    List<String> arguments =
        List.of(
            "--model-repository=" + models,
            "--server-warmup=0",
            "--http-address=127.0.0.1",
            "--http-port=0",
            "--grpc-address=127.0.0.1",
            "--grpc-port=0",
            "--allow-metrics=false",
            "--trace-config=mode=opentelemetry",
            "--trace-config=level=TIMESTAMPS",
            "--trace-config=opentelemetry,url=" + url);
    new CommandLine(serve)
        .parseArgs(Stream.concat(arguments.stream(), Stream.of(more)).toArray(String[]::new));
    var server = new NereidServer(serve.options);
    server.start();
    return server;
  }

  private static HttpWire.Response infer(
      NereidServer server, String model, String input, Map<String, String> headers) {
    String body =
        "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[2],\"data\":[5,6]}]}"
            .formatted(input);
    try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
      return wire.send("POST", "/v2/models/" + model + "/infer", body.getBytes(UTF_8), headers);
    }
  }

  private List<ReceivedSpan> children(ReceivedSpan parent) {
    return collector.spans().stream()
        .filter(span -> span.parentId().equals(parent.spanId()))
        .sorted((a, b) -> Long.compare(a.startNanos(), b.startNanos()))
        .toList();
  }

  private ReceivedSpan root() {
    return collector.spans().stream()
        .filter(span -> span.name().equals("InferRequest"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anEnsembleIsOneTraceUnderTheContextOfItsClient() throws IOException {
    try (var server = start(collector.url(), "--trace-config=rate=0")) {
      assertThat(infer(server, "e", "IN", Map.of()).status()).isEqualTo(200);
      Map<String, String> headers = Map.of("traceparent", TRACE_PARENT);
      assertThat(infer(server, "e", "IN", headers).status()).isEqualTo(200);
    } // sends what waits

    assertThat(collector.contentTypes()).containsOnly("application/x-protobuf");
    assertThat(collector.spans()).extracting(ReceivedSpan::traceId).containsOnly(TRACE_ID);
    ReceivedSpan root = root();
    assertThat(root.parentId()).isEqualTo(PARENT_ID);
    assertThat(root.events()).contains("HTTP_RECV_START", "HTTP_SEND_END");
    assertThat(children(root)).extracting(ReceivedSpan::name).containsExactly("e");
    List<ReceivedSpan> steps = children(children(root).getFirst());
    assertThat(steps).extracting(ReceivedSpan::name).containsExactly("m", "m");
    for (ReceivedSpan step : steps) {
      assertThat(step.events()).containsExactly("REQUEST_START", "QUEUE_START", "REQUEST_END");
      assertThat(children(step)).extracting(ReceivedSpan::name).containsExactly("queue", "compute");
      assertThat(step.startNanos()).isBetween(root.startNanos(), root.endNanos());
    }
    long now = System.currentTimeMillis() * 1_000_000;
    assertThat(root.endNanos()).isBetween(now - 120_000_000_000L, now);
  }

  @Test
  void theContextOfAGrpcCallIsItsMetadata() throws IOException {
    try (var server = start(collector.url(), "--trace-config=rate=0")) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
      var metadata = new Metadata();
      metadata.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), TRACE_PARENT);
      var request = ModelInferRequest.newBuilder().setModelName("m");
      request.addInputsBuilder().setName("INPUT0").setDatatype("INT32").addShape(1);
      request.addRawInputContents(ByteString.copyFrom(new byte[4]));
      var _ =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .modelInfer(request.build());
      channel.shutdownNow();
    }

    assertThat(root().traceId()).isEqualTo(TRACE_ID);
    assertThat(root().events()).contains("GRPC_WAITREAD_START", "GRPC_SEND_END");
  }

  @Test
  void requestsOfTheRateAreTracedToo() throws IOException {
    try (var server = start(collector.url(), "--trace-config=rate=2")) {
      for (int i = 0; i < 4; i++) {
        assertThat(infer(server, "m", "INPUT0", Map.of()).status()).isEqualTo(200);
      }
    }

    assertThat(collector.spans())
        .filteredOn(span -> span.name().equals("InferRequest"))
        .hasSize(2)
        .allMatch(span -> span.parentId().isEmpty());
  }

  @Test
  void anAbsentCollectorDelaysNoRequestAndNotTheStop() throws IOException {
    String url = collector.url();
    collector.close();
    try (var server =
        start(
            url,
            "--trace-config=rate=1",
            "--trace-config=opentelemetry,bsp_max_queue_size=8",
            "--trace-config=opentelemetry,bsp_max_export_batch_size=4",
            "--trace-config=opentelemetry,bsp_schedule_delay=1")) {
      for (int i = 0; i < 50; i++) {
        assertThat(infer(server, "m", "INPUT0", Map.of()).status()).isEqualTo(200);
      }
    }
  }

  @Test
  void theSettingsShowTheModeAndItsOptions() throws IOException {
    try (var server = start(collector.url(), "--trace-config=opentelemetry,resource=a=b");
        var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
      assertThat(wire.send("GET", "/v2/trace/setting", new byte[0], Map.of()).text())
          .isEqualTo(
              "{\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"1000\",\"trace_count\":\"-1\","
                  + "\"trace_mode\":\"opentelemetry\",\"url\":\""
                  + collector.url()
                  + "\",\"resource\":\"a=b\",\"bsp_max_export_batch_size\":\"512\","
                  + "\"bsp_max_queue_size\":\"2048\",\"bsp_schedule_delay\":\"5000\"}");
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
      var settings =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .traceSetting(TraceSettingRequest.getDefaultInstance())
              .getSettingsMap();
      channel.shutdownNow();
      assertThat(settings)
          .containsKeys("trace_mode", "url", "resource", "bsp_max_queue_size")
          .doesNotContainKeys("trace_file", "log_frequency");
    }
  }

  @Test
  void anOptionThatCannotBeStopsTheStart() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> start("ftp://collector").close())
        .withMessageContaining("is no URL of a collector");
  }
}
