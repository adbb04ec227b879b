package io.nereid.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;

/**
 * How many spans the SDK's batch processor has lost, because its queue was full or because they
 * could not be sent, which only its own metrics tell (OpenTelemetry, Semantic conventions for SDK
 * metrics, {@code otel.sdk.processor.span.processed}).
 */
final class QueueDrops implements AutoCloseable {
  private static final String PROCESSED = "otel.sdk.processor.span.processed";
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private final Reader reader = new Reader();
  private final SdkMeterProvider meters =
      SdkMeterProvider.builder().registerMetricReader(reader).build();

  /** To be given to the batch processor. */
  MeterProvider meters() {
    return meters;
  }

  long count() {
    long dropped = 0;
    for (MetricData metric : reader.registration.collectAllMetrics()) {
      if (metric.getName().equals(PROCESSED)) {
        for (LongPointData point : metric.getLongSumData().getPoints()) {
          if (point.getAttributes().get(ERROR) != null) {
            dropped += point.getValue();
          }
        }
      }
    }
    return dropped;
  }

  @Override
  public void close() {
    meters.close();
  }

  /** A reader that is asked when the server's metrics are. */
  private static final class Reader implements MetricReader {
    private volatile CollectionRegistration registration = CollectionRegistration.noop();

    @Override
    public void register(CollectionRegistration newRegistration) {
      registration = newRegistration;
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrumentType) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode forceFlush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
