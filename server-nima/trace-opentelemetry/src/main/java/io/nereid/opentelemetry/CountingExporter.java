package io.nereid.opentelemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An exporter that counts the spans that another one has sent, and says in the log why it could
 * not, once a minute. Thread-safe.
 */
final class CountingExporter implements SpanExporter {
  private static final System.Logger LOG = System.getLogger(CountingExporter.class.getName());
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SpanExporter exporter;
  private final String url;
  private final AtomicLong sent = new AtomicLong();

  /** When a failure is logged again; 0 at first. */
  private final AtomicLong nextLog = new AtomicLong();

  /**
   * @param url of the collector, for the log
   */
  CountingExporter(SpanExporter exporter, String url) {
    this.exporter = exporter;
    this.url = url;
  }

  long sentSpans() {
    return sent.get();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size(); // the collection is used again
    CompletableResultCode result = exporter.export(spans);
    return result.whenComplete(() -> {
      if (result.isSuccess()) {
        sent.addAndGet(count);
      } else {
        failed(count, result.getFailureThrowable());
      }
    });
  }

  private void failed(int count, @Nullable Throwable thrown) {
    long now = System.nanoTime();
    long next = nextLog.get();
    boolean isDue = next == 0 || now - next >= 0;
    if (isDue && nextLog.compareAndSet(next, now + LOG_NANOS)) {
      Throwable cause = thrown == null ? null : thrown.getCause(); // none if the collector answered
      LOG.log(
          Level.WARNING,
          "{0} spans of traces are lost, which cannot be sent to {1}{2}",
          Integer.toString(count),
          url,
          cause == null ? "" : ": " + cause);
    }
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
