package io.nereid.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.Parameter;
import io.nereid.spi.trace.TraceContext;
import io.nereid.spi.trace.TraceSpan;
import io.nereid.spi.trace.TraceSpan.Event;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans as the SDK's exporters get them, and what becomes of those that cannot be sent. */
@Timeout(60)
class OpenTelemetryExporterTest {
  private static final ExporterSettings DEFAULTS = ExporterSettings.of(List.of(), Map.of());

  private static TraceSpan span(String name, long start, long end, TraceSpan... children) {
    return new TraceSpan(
        name,
        start,
        end,
        Map.of("triton.trace_id", new Parameter.OfLong(7)),
        List.of(new Event("EVENT", start + 1)),
        List.of(children),
        Optional.empty());
  }

  /** An exporter whose requests end when a test says so. */
  private static final class SlowCollector implements SpanExporter {
    final CountDownLatch called = new CountDownLatch(1);
    final CompletableResultCode result = new CompletableResultCode();

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      called.countDown();
      return result;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static List<SpanData> exported(TraceSpan root, Optional<TraceContext> parent) {
    var memory = InMemorySpanExporter.create();
    try (var exporter = new OpenTelemetryExporter(new KeptExporter(memory), DEFAULTS)) {
      exporter.export(root, TRACE_ID, parent);
    }
    return memory.getFinishedSpanItems();
  }

  /** An exporter that is not shut down, since that would empty it. */
  private record KeptExporter(SpanExporter kept) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      return kept.export(spans);
    }

    @Override
    public CompletableResultCode flush() {
      return kept.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private static SpanData named(List<SpanData> spans, String name) {
    return spans.stream().filter(span -> span.getName().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void aTreeOfSpansIsOneTraceOfThatServer() {
    List<SpanData> spans =
        exported(span("InferRequest", 100, 900, span("m", 200, 800)), Optional.empty());

    SpanData root = named(spans, "InferRequest");
    SpanData model = named(spans, "m");
    assertThat(spans).hasSize(2);
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    assertThat(root.getKind()).isEqualTo(SpanKind.SERVER);
    assertThat(root.getStartEpochNanos()).isEqualTo(100);
    assertThat(root.getEndEpochNanos()).isEqualTo(900);
    assertThat(root.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(root.getResource().getAttribute(AttributeKey.stringKey("service.name")))
        .isEqualTo("triton-inference-server");
    assertThat(root.getInstrumentationScopeInfo().getName()).isEqualTo("triton-server");
    assertThat(root.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(model.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(model.getParentSpanId()).isEqualTo(root.getSpanId());
    assertThat(model.getKind()).isEqualTo(SpanKind.INTERNAL);
    assertThat(model.getAttributes().get(AttributeKey.longKey("triton.trace_id"))).isEqualTo(7);
    assertThat(model.getEvents())
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getName()).isEqualTo("EVENT");
          assertThat(event.getEpochNanos()).isEqualTo(201);
        });
  }

  @Test
  void theContextOfAClientIsTheParentAndItsStateIsKept() {
    String traceId = "0af7651916cd43dd8448eb211c80319c";
    var sent = new TraceContext("00-" + traceId + "-b7ad6b7169203331-00", "vendor=x");

    SpanData root = named(exported(span("InferRequest", 1, 2), Optional.of(sent)), "InferRequest");

    assertThat(root.getTraceId()).isEqualTo(traceId);
    assertThat(root.getParentSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(root.getParentSpanContext().isRemote()).isTrue();
    assertThat(root.getSpanContext().getTraceState().get("vendor")).isEqualTo("x");
    assertThat(root.getSpanContext().isSampled()).isTrue(); // though the client's is not
  }

  @Test
  void aFailureIsAnErrorWithItsReason() {
    var failed =
        new TraceSpan(
            "InferRequest", 1, 2, Map.of(), List.of(), List.of(), Optional.of("no such input"));

    SpanData root = named(exported(failed, Optional.empty()), "InferRequest");

    assertThat(root.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(root.getStatus().getDescription()).isEqualTo("no such input");
  }

  @Test
  void spansAreDroppedAndCountedWhileACollectorDoesNotRespond() throws InterruptedException {
    var settings =
        ExporterSettings.of(
            List.of(
                Map.entry("bsp_max_queue_size", "8"), Map.entry("bsp_max_export_batch_size", "4")),
            Map.of());
    var collector = new SlowCollector();
    try (var exporter = new OpenTelemetryExporter(collector, settings)) {
      for (int i = 0; i < 4; i++) {
        exporter.export(span("a", 1, 2), TRACE_ID, Optional.empty());
      }
      collector.called.await();

      for (int i = 0; i < 100; i++) {
        exporter.export(span("b", 1, 2), TRACE_ID, Optional.empty()); // does not wait
      }

      assertThat(exporter.droppedSpans()).isBetween(88L, 92L);
      collector.result.fail();
    }
  }

  @Test
  void spansThatCannotBeSentAreCountedOnceWhileTheExporterWorks() throws InterruptedException {
    var settings = ExporterSettings.of(List.of(Map.entry("bsp_schedule_delay", "1")), Map.of());
    var collector = new SlowCollector();
    collector.result.fail();
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler = new LineHandler(lines);
    Logger logger = Logger.getLogger(CountingExporter.class.getName());
    logger.addHandler(handler);
    try (var exporter = new OpenTelemetryExporter(collector, settings)) {
      exporter.export(span("a", 1, 2), TRACE_ID, Optional.empty());
      collector.called.await();
      while (exporter.droppedSpans() == 0) {
        Thread.onSpinWait();
      }
      exporter.export(span("b", 1, 2), TRACE_ID, Optional.empty());
      while (exporter.droppedSpans() == 1) {
        Thread.onSpinWait();
      }

      assertThat(exporter.droppedSpans()).isEqualTo(2);
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(lines)
        .as("once a minute")
        .containsExactly("1 spans of traces are lost, which cannot be sent to " + settings.url());
  }

  /** Keeps the messages of a log. */
  private static final class LineHandler extends Handler {
    private final List<String> lines;

    LineHandler(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public void publish(LogRecord record) {
      lines.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void spansThatACollectorRefusesAreCounted() {
    var collector = new SlowCollector();
    collector.result.fail();
    var exporter = new OpenTelemetryExporter(collector, DEFAULTS);
    try (exporter) {
      exporter.export(span("a", 1, 2, span("b", 1, 2)), TRACE_ID, Optional.empty());
    }

    assertThat(exporter.droppedSpans()).isEqualTo(2);
  }
}
