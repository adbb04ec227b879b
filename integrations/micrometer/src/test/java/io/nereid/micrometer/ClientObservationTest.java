package io.nereid.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientObservationTest {
  private static final byte[] RESPONSE =
      """
      {"model_name":"m","outputs":[{"name":"OUT","datatype":"INT32","shape":[1],"data":[7]}]}
      """
          .getBytes(StandardCharsets.UTF_8);
  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
  private static final InferRequest REQUEST =
      InferRequest.to("m").input("IN", Tensor.of(new int[] {1})).build();

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ObservationRegistry observations = ObservationRegistry.create();
  private final SdkTracerProvider spans = SdkTracerProvider.builder().build();

  /** What the server got, and the statuses that it is to answer before it answers 200. */
  private final List<String> traceparents = new CopyOnWriteArrayList<>();

  private final List<Integer> statuses = new CopyOnWriteArrayList<>();

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    var tracer = spans.get("test");
    var traced = new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {});
    var w3c =
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), tracer);
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(meters))
        .observationHandler(
            new FirstMatchingCompositeObservationHandler(
                new PropagatingSenderTracingObservationHandler<>(traced, w3c),
                new DefaultTracingObservationHandler(traced)));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          traceparents.add(String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
          int status = statuses.isEmpty() ? 200 : statuses.removeFirst();
          if (status != 200) {
            exchange.getResponseHeaders().add("retry-after", "0");
          }
          exchange.sendResponseHeaders(status, RESPONSE.length);
          exchange.getResponseBody().write(RESPONSE);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    spans.close();
  }

  private NereidClient client(String address) {
    return NereidClient.builder(address)
        .interceptor(new ClientObservation(observations))
        .retries(RetryPolicy.DEFAULT)
        .open();
  }

  private String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private long calls(String... tags) {
    return meters.find("nereid.client.calls").tags(tags).timers().stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  private static String trace(String traceparent) {
    assertThat(traceparent).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[13]");
    return traceparent.substring(3, 35);
  }

  @Test
  void aCallIsATimerAndTheServerGetsItsTrace() {
    try (NereidClient client = client(address())) {
      assertThat(client.infer(REQUEST).output("OUT").ints()).containsExactly(7);
    }
    assertThat(calls("operation", "infer", "model", "m", "address", address(), "code", "OK"))
        .isOne();
    assertThat(traceparents).singleElement().satisfies(each -> trace(each));
  }

  @Test
  void eachAttemptHasASpanOfItsOwnInTheTraceOfTheCaller() {
    statuses.addAll(List.of(503, 503));
    try (NereidClient client = client(address())) {
      Observation.createNotStarted("caller", observations)
          .observe(() -> client.inferAsync(REQUEST).join());
    }
    assertThat(calls("code", "UNAVAILABLE")).isEqualTo(2);
    assertThat(calls("code", "OK")).isOne();
    assertThat(traceparents).hasSize(3).doesNotHaveDuplicates();
    assertThat(traceparents.stream().map(ClientObservationTest::trace).distinct()).hasSize(1);
  }

  @Test
  void aCallThatFailsHasItsCode() {
    statuses.add(400);
    try (NereidClient client = client(address())) {
      assertThatExceptionOfType(NereidException.class).isThrownBy(() -> client.infer(REQUEST));
    }
    assertThat(calls("code", "INVALID_ARGUMENT", "error", "NereidException")).isOne();
  }

  @Test
  void callsThatConcernNoModelHaveTheSameTags() {
    try (NereidClient client = client(address())) {
      assertThat(client.server().isReady()).isTrue();
      client.infer(REQUEST);
    }
    assertThat(calls("model", "none")).isOne();
    assertThat(calls("model", "m")).isOne();
  }

  @Test
  void theTraceTravelsOverGrpcToo() throws Exception {
    io.grpc.Server grpc =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addStreamTracerFactory(
                new ServerStreamTracer.Factory() {
                  @Override
                  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                    traceparents.add(String.valueOf(headers.get(TRACEPARENT)));
                    return new ServerStreamTracer() {};
                  }
                })
            .build()
            .start();
    try (NereidClient client = client("grpc://127.0.0.1:" + grpc.getPort())) {
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.infer(REQUEST))
          .extracting(NereidException::code)
          .isEqualTo(ErrorCode.UNIMPLEMENTED);
    } finally {
      grpc.shutdownNow();
    }
    assertThat(calls("code", "UNIMPLEMENTED")).isOne();
    assertThat(traceparents).singleElement().satisfies(each -> trace(each));
  }

  @Test
  void nothingIsObservedForARegistryWithoutHandlers() {
    try (NereidClient client =
        NereidClient.builder(address())
            .interceptor(new ClientObservation(ObservationRegistry.NOOP))
            .open()) {
      client.infer(REQUEST);
    }
    assertThat(traceparents).containsExactly("null");
  }
}
