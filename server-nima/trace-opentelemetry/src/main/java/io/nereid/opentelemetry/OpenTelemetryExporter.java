package io.nereid.opentelemetry;

import io.nereid.request.Parameter;
import io.nereid.spi.trace.TraceContext;
import io.nereid.spi.trace.TraceExporter;
import io.nereid.spi.trace.TraceSpan;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.common.InternalTelemetryVersion;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An exporter of spans through the SDK's batch processor: spans wait in a queue of a fixed size for
 * a thread that sends them, and what finds it full is dropped. All spans are sampled, since the
 * server has chosen the requests.
 */
final class OpenTelemetryExporter implements TraceExporter {
  /** The time that the last spans have to be sent. */
  private static final long STOP_SECONDS = 5;

  /** Triton's name of the instrumentation. */
  private static final String TRACER = "triton-server";

  private final CountingExporter sender;
  private final QueueDrops drops = new QueueDrops();
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  /** The id of the trace that the present thread begins. */
  private final ThreadLocal<String> newTraceId = new ThreadLocal<>();

  private final AtomicLong spans = new AtomicLong();
  private volatile boolean closed;

  /**
   * @param sender sends spans; closed with this exporter
   */
  OpenTelemetryExporter(SpanExporter sender, ExporterSettings settings) {
    this.sender = new CountingExporter(sender, settings.url());
    AttributesBuilder resource = Attributes.builder();
    settings.resource().forEach(resource::put);
    BatchSpanProcessor processor =
        BatchSpanProcessor.builder(this.sender)
            .setMaxQueueSize(settings.maxQueueSize())
            .setScheduleDelay(settings.scheduleDelay())
            .setMaxExportBatchSize(settings.maxBatchSize())
            .setMeterProvider(drops.meters())
            .setInternalTelemetryVersion(InternalTelemetryVersion.LATEST)
            .build();
    provider =
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().merge(Resource.create(resource.build())))
            .setSampler(Sampler.alwaysOn())
            .setIdGenerator(new GivenTraceIds())
            .addSpanProcessor(processor)
            .build();
    tracer = provider.get(TRACER);
  }

  @Override
  public void export(TraceSpan root, String traceId, Optional<TraceContext> parent) {
    Context context = parent.map(OpenTelemetryExporter::remote).orElse(Context.root());
    newTraceId.set(traceId);
    try {
      add(root, context, SpanKind.SERVER);
    } finally {
      newTraceId.remove();
    }
  }

  private static Context remote(TraceContext sent) {
    return W3CTraceContextPropagator.getInstance()
        .extract(Context.root(), sent, ContextHeaders.INSTANCE);
  }

  private void add(TraceSpan span, Context parent, SpanKind kind) {
    Span added =
        tracer
            .spanBuilder(span.name())
            .setParent(parent)
            .setSpanKind(kind)
            .setStartTimestamp(span.startNanos(), TimeUnit.NANOSECONDS)
            .startSpan();
    added.setAllAttributes(attributes(span.attributes()));
    for (TraceSpan.Event event : span.events()) {
      added.addEvent(event.name(), event.nanos(), TimeUnit.NANOSECONDS);
    }
    span.failure().ifPresent(reason -> added.setStatus(StatusCode.ERROR, reason));
    for (TraceSpan child : span.children()) {
      add(child, parent.with(added), SpanKind.INTERNAL);
    }
    spans.incrementAndGet();
    added.end(span.endNanos(), TimeUnit.NANOSECONDS);
  }

  private static Attributes attributes(Map<String, Parameter> parameters) {
    AttributesBuilder attributes = Attributes.builder();
    parameters.forEach((name, parameter) -> {
      switch (parameter) {
        case Parameter.OfString(String value) -> attributes.put(name, value);
        case Parameter.OfLong(long value) -> attributes.put(name, value);
        case Parameter.OfBoolean(boolean value) -> attributes.put(name, value);
        case Parameter.OfDouble(double value) -> attributes.put(name, value);
      }
    });
    return attributes.build();
  }

  @Override
  public long droppedSpans() {
    return closed ? spans.get() - sender.sentSpans() : drops.count();
  }

  @Override
  public void close() {
    var _ = provider.shutdown().join(STOP_SECONDS, TimeUnit.SECONDS);
    closed = true;
    drops.close();
  }

  /** The server's ids of traces, and random ones of spans. */
  private final class GivenTraceIds implements IdGenerator {
    @Override
    public String generateTraceId() {
      return newTraceId.get();
    }

    @Override
    public String generateSpanId() {
      return IdGenerator.random().generateSpanId();
    }
  }

  /** The headers of a context. */
  private enum ContextHeaders implements TextMapGetter<TraceContext> {
    INSTANCE;

    @Override
    public Iterable<String> keys(TraceContext context) {
      return List.of("traceparent", "tracestate");
    }

    @Override
    public @Nullable String get(@Nullable TraceContext context, String name) {
      if (context == null) {
        return null;
      }
      return switch (name) {
        case "traceparent" -> context.parent();
        case "tracestate" -> context.state();
        default -> null;
      };
    }
  }
}
