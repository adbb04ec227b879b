package io.nereid.engine.telemetry.trace.export;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TraceSampler;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.spi.trace.TraceExporter;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A sink that gives traces to an exporter, as spans with times of day. */
public final class ExportingSink implements TraceSink {
  private static final System.Logger LOG = System.getLogger(ExportingSink.class.getName());

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final TraceExporter exporter;
  private final LongSupplier clock;
  private final Clock wallClock;
  private final AtomicBoolean broken = new AtomicBoolean();

  /** Traces that an exporter refused by an exception, each counted as a span. */
  private final AtomicLong refused = new AtomicLong();

  /**
   * @param exporter closed with this sink
   * @param clock the nanoseconds of arrival times
   */
  public ExportingSink(TraceExporter exporter, LongSupplier clock, Clock wallClock) {
    this.exporter = exporter;
    this.clock = clock;
    this.wallClock = wallClock;
  }

  @Override
  public void collected(TraceSampler sampler, List<RequestTrace> traces) {
    Instant now = wallClock.instant(); // one offset for all spans, so that their order is kept
    long originNanos = now.getEpochSecond() * NANOS_PER_SECOND + now.getNano() - clock.getAsLong();
    RequestTrace first = traces.getFirst();
    try {
      new SpanTree(traces, originNanos)
          .root()
          .ifPresent(root -> exporter.export(root, first.traceId(), first.parent()));
    } catch (Throwable bug) { // also an Error: the request has ended, and its thread serves others
      refused.incrementAndGet();
      if (broken.compareAndSet(false, true)) {
        LOG.log(Level.ERROR, "a trace was not exported; others may follow without a line", bug);
      }
    }
  }

  @Override
  public Dropped dropped() {
    return new Dropped("spans", exporter.droppedSpans() + refused.get());
  }

  @Override
  public void close() {
    try (var _ = new PluginContext(exporter)) {
      exporter.close();
    }
    long lost = dropped().count();
    if (lost > 0) {
      LOG.log(Level.WARNING, "{0} spans of traces were dropped", lost);
    }
  }
}
