package io.nereid.engine.telemetry.trace.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.spi.trace.TraceContext;
import io.nereid.spi.trace.TraceExporter;
import io.nereid.spi.trace.TraceSpan;
import io.nereid.spi.trace.TraceSpan.Event;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Spans of traces. Sources: Triton, user_guide/trace.md, "OpenTelemetry trace support";
 * src/tracer.cc for names and attributes.
 */
class ExportingSinkTest {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

  /** The time of day at 0 of the clock. */
  private static final long EPOCH = 1_700_000_000_000_000_000L;

  private final AtomicLong clock = new AtomicLong();
  private final List<TraceSpan> roots = new ArrayList<>();
  private final List<Optional<TraceContext>> parents = new ArrayList<>();
  private final List<String> traceIds = new ArrayList<>();
  private boolean broken;

  private final TraceExporter exporter =
      new TraceExporter() {
        @Override
        public void export(TraceSpan root, String traceId, Optional<TraceContext> parent) {
          if (broken) {
            throw new IllegalStateException("broken");
          }
          roots.add(root);
          parents.add(parent);
          traceIds.add(traceId);
        }

        @Override
        public long droppedSpans() {
          return 2;
        }

        @Override
        public void close() {}
      };

  private final ExportingSink sink =
      new ExportingSink(
          exporter, clock::get, Clock.fixed(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC));

  private Tracer tracer(long rate, int count) {
    var levels = Set.of(TraceLevel.TIMESTAMPS, TraceLevel.TENSORS);
    var settings =
        new TraceSettings(levels, rate, count, 0, new TraceDestination.OpenTelemetry(List.of()));
    return new Tracer(settings, ClientSettings.ALL, clock::get, sink);
  }

  private static RequestTrace sample(Tracer tracer) {
    return Objects.requireNonNull(sample(tracer, Map.of()));
  }

  /** Null if the request is not traced. */
  private static @Nullable RequestTrace sample(Tracer tracer, Map<String, String> headers) {
    return tracer.sample("m", headers, (map, name) -> Optional.ofNullable(map.get(name)));
  }

  /** Traces a request of an ensemble with one step. */
  private void traceEnsemble() {
    clock.set(10);
    try (RequestTrace trace = sample(tracer(1, -1))) {
      trace.mark(TracePoint.HTTP_RECV_START);
      trace.begin(new ModelKey("ensemble", 2), "r", 20);
      clock.set(21);
      trace.queued(List.of());
      RequestTrace step = trace.child();
      step.begin(new ModelKey("step", 1), "r", 30);
      clock.set(31);
      step.queued(List.of());
      step.computed(40, 41, 48, 50);
      clock.set(60);
      step.end();
      clock.set(70);
      trace.end();
      clock.set(80);
      trace.mark(TracePoint.HTTP_SEND_END);
      clock.set(0); // the origin of the times of day
    }
  }

  private static TraceSpan child(TraceSpan span, String name) {
    return span.children().stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
  }

  private static void assertTimes(TraceSpan span, long start, long end) {
    assertThat(span.startNanos() - EPOCH).isEqualTo(start);
    assertThat(span.endNanos() - EPOCH).isEqualTo(end);
  }

  @Test
  void anEnsembleIsATreeOfSpansWithTritonsNames() {
    traceEnsemble();

    TraceSpan root = roots.getFirst();
    assertThat(root.name()).isEqualTo("InferRequest");
    assertTimes(root, 10, 80);
    assertThat(root.events())
        .containsExactly(
            new Event("HTTP_RECV_START", EPOCH + 10), new Event("HTTP_SEND_END", EPOCH + 80));
    TraceSpan ensemble = child(root, "ensemble");
    assertTimes(ensemble, 20, 70);
    assertThat(ensemble.events())
        .extracting(Event::name)
        .containsExactly("REQUEST_START", "QUEUE_START", "REQUEST_END");
    assertThat(ensemble.children()).extracting(TraceSpan::name).containsExactly("step");
    TraceSpan step = child(ensemble, "step");
    assertTimes(step, 30, 60);
    assertThat(step.children()).extracting(TraceSpan::name).containsExactly("queue", "compute");
    assertTimes(child(step, "queue"), 31, 40);
    TraceSpan compute = child(step, "compute");
    assertTimes(compute, 40, 50);
    assertThat(compute.events())
        .extracting(Event::name)
        .containsExactly(
            "COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END");
  }

  @Test
  void modelsHaveTritonsAttributes() {
    traceEnsemble();

    TraceSpan ensemble = child(roots.getFirst(), "ensemble");
    Map<String, Parameter> expected = new HashMap<>();
    expected.put("triton.model_name", new Parameter.OfString("ensemble"));
    expected.put("triton.model_version", new Parameter.OfLong(2));
    expected.put("triton.trace_id", new Parameter.OfLong(1));
    expected.put("triton.trace_parent_id", new Parameter.OfLong(0));
    expected.put("triton.request_id", new Parameter.OfString("r"));
    assertThat(ensemble.attributes()).isEqualTo(expected);
    assertThat(child(ensemble, "step").attributes())
        .containsEntry("triton.trace_id", new Parameter.OfLong(2))
        .containsEntry("triton.trace_parent_id", new Parameter.OfLong(1));
  }

  @Test
  void activitiesOfABackendAreSpansAndEventsOfTheInnermostSpan() {
    try (RequestTrace trace = sample(tracer(1, -1))) {
      trace.begin(new ModelKey("m", 1), "", 0);
      long second = 1_000_000_000;
      long now = System.nanoTime();
      trace.activity("COPY_START", now + second);
      trace.activity("chunk", now + 2 * second);
      trace.activity("INNER_START", now + 3 * second);
      trace.activity("INNER_END", now + 4 * second);
      trace.activity("COPY_END", now + 5 * second);
      trace.activity("done", now + 20 * second);
      trace.computed(0, 1, 10 * second, 10 * second);
      clock.set(30 * second);
      trace.end();
      clock.set(0);
    }

    TraceSpan model = child(roots.getFirst(), "m");
    assertThat(model.events()).extracting(Event::name).contains("done");
    TraceSpan copy = child(child(model, "compute"), "COPY");
    assertThat(copy.events())
        .extracting(Event::name)
        .containsExactly("COPY_START", "chunk", "COPY_END");
    assertThat(copy.children()).extracting(TraceSpan::name).containsExactly("INNER");
  }

  @Test
  void aCachedResponseAndAFailureAreSaid() {
    try (RequestTrace trace = sample(tracer(1, -1))) {
      trace.begin(new ModelKey("m", 1), "", 0);
      trace.setCached();
      trace.end();
      trace.failed(InferenceException.invalid("wrong"));
    }

    assertThat(roots.getFirst().failure()).contains("wrong");
    assertThat(child(roots.getFirst(), "m").attributes())
        .containsEntry("nereid.cached", new Parameter.OfBoolean(true));
  }

  @Test
  void aRequestWithAContextIsTracedWhateverItsFlagsTheRateAndTheCount() {
    Map<String, String> headers = Map.of("traceparent", PARENT, "tracestate", "a=b");
    for (Tracer tracer : List.of(tracer(0, -1), tracer(1000, -1), tracer(1, 0))) {
      assertThat(sample(tracer, Map.of("traceparent", "00-none"))).isNull();
      try (RequestTrace trace = Objects.requireNonNull(sample(tracer, headers))) {
        trace.begin(new ModelKey("m", 1), "", 0);
        trace.end();
      }
    }

    assertThat(parents).hasSize(3).containsOnly(Optional.of(new TraceContext(PARENT, "a=b")));
    assertThat(traceIds).hasSize(3).containsOnly(PARENT.substring(3, 35));
  }

  @Test
  void aRequestWithoutAContextHasAnIdOfItsOwnWhichIsKnownBeforeItsSpansAreExported() {
    List<String> known = new ArrayList<>();
    Tracer tracer = tracer(1, -1);
    for (int i = 0; i < 2; i++) {
      try (RequestTrace trace = sample(tracer)) {
        known.add(trace.traceId());
        trace.begin(new ModelKey("m", 1), "", 0);
        trace.end();
      }
    }

    assertThat(traceIds).isEqualTo(known).doesNotHaveDuplicates();
    assertThat(traceIds).allSatisfy(id -> assertThat(id).matches("[0-9a-f]{32}"));
  }

  @Test
  void aContextIsIgnoredWithoutALevel() {
    Tracer tracer = tracer(1, -1);
    tracer.change("", settings -> settings.withLevels(Set.of()));

    assertThat(sample(tracer, Map.of("traceparent", PARENT))).isNull();
  }

  @Test
  void aRefusedRequestHasTheTimesOfItsFrontEnd() {
    try (RequestTrace trace = sample(tracer(1, -1))) {
      trace.mark(TracePoint.GRPC_WAITREAD_START);
    }

    assertThat(roots.getFirst().children()).isEmpty();
    assertThat(roots.getFirst().events()).hasSize(1);
  }

  @Test
  void anExporterThatFailsEndsNoRequest() {
    broken = true;
    try (var log = new LogCapture(ExportingSink.class.getName())) {
      traceEnsemble();
      traceEnsemble();

      assertThat(log.records()).hasSize(1);
    }
    assertThat(sink.dropped().count()).isEqualTo(4);
    assertThat(sink.dropped().what()).isEqualTo("spans");
  }
}
