package io.nereid.server.frontend;

import io.nereid.engine.utilization.LoadMeter;
import io.nereid.engine.utilization.ServerLoad;
import io.nereid.server.codec.protobuf.LoadReportMessage;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reports of the server's load in responses, by ORCA: to a request that names a format in the field
 * {@link #FORMAT}. Thread-safe.
 */
public final class LoadReports {
  /** The field of a request: {@code text} or {@code json}, as with Triton, or {@code bin}. */
  public static final String FORMAT = "endpoint-load-metrics-format";

  /** The field of a response with a report as text or JSON. */
  public static final String TEXT_FIELD = "endpoint-load-metrics";

  /** The field of a response with a report as protobuf message. */
  public static final String BINARY_FIELD = "endpoint-load-metrics-bin";

  private static final String BINARY = "bin";

  private final LoadMeter meter;

  /** The report that was made last; each is sent with many responses. */
  private volatile @Nullable Report latest;

  public LoadReports(LoadMeter meter) {
    this.meter = meter;
  }

  /** A load in all formats. */
  private static final class Report {
    final ServerLoad load;
    final String text;
    final String json;
    final byte[] binary;

    Report(ServerLoad load) {
      this.load = load;
      this.text = "TEXT " + list(load, "%s=%s", ", ");
      this.json = "JSON {" + list(load, "\"%s\": %s", ", ") + "}";
      this.binary = LoadReportMessage.of(load).toByteArray();
    }

    private static String list(ServerLoad load, String form, String separator) {
      return String.join(
          separator,
          form.formatted("application_utilization", number(load.utilization())),
          form.formatted("cpu_utilization", number(load.cpuUtilization())),
          form.formatted("rps_fractional", number(load.requestsPerSecond())),
          form.formatted("eps", number(load.errorsPerSecond())));
    }

    private static String number(double value) {
      return String.format(Locale.ROOT, "%.6f", value);
    }
  }

  /** Whether a format is that of a binary report. */
  public static boolean isBinary(String format) {
    return format.equals(BINARY);
  }

  /** The report as text or JSON; empty for another format, and as long as nothing was measured. */
  public Optional<String> text(String format) {
    return switch (format) {
      case "text" -> report().map(report -> report.text);
      case "json" -> report().map(report -> report.json);
      default -> Optional.empty();
    };
  }

  /** The report as a protobuf message, not to be changed; empty as long as nothing was measured. */
  public Optional<byte[]> binary() {
    return report().map(report -> report.binary);
  }

  private Optional<Report> report() {
    return meter.load().map(this::report);
  }

  private Report report(ServerLoad load) {
    Report made = latest;
    if (made == null || !made.load.equals(load)) {
      made = new Report(load);
      latest = made;
    }
    return made;
  }
}
