package io.nereid.opentelemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;

/** An exporter that counts the spans that another one has sent, or could not send. */
final class CountingExporter implements SpanExporter {
  private final SpanExporter exporter;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  CountingExporter(SpanExporter exporter) {
    this.exporter = exporter;
  }

  long sentSpans() {
    return sent.get();
  }

  long failedSpans() {
    return failed.get();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size(); // the collection is used again
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(() -> (result.isSuccess() ? sent : failed).addAndGet(count));
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
