package io.nereid.server.metrics.exposition;

import java.util.Locale;
import java.util.Optional;

/** The formats that a client may ask for, by the field {@code Accept} of its request. */
public enum ExpositionFormat {
  TEXT("text/plain; version=0.0.4; charset=utf-8"),
  PROTOBUF(
      "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily;"
          + " encoding=delimited");

  private static final String PROTOBUF_TYPE = "application/vnd.google.protobuf";

  private final String contentType;

  ExpositionFormat(String contentType) {
    this.contentType = contentType;
  }

  public String contentType() {
    return contentType;
  }

  /** Begins a page. */
  public MetricWriter writer() {
    return switch (this) {
      case TEXT -> new TextWriter();
      case PROTOBUF -> new ProtobufWriter();
    };
  }

  /**
   * The format for a client: protobuf if it prefers that to text, otherwise text.
   *
   * @param accept the field, if it was sent
   */
  public static ExpositionFormat of(Optional<String> accept) {
    if (accept.isEmpty()) {
      return TEXT;
    }
    double protobuf = 0;
    double text = 0;
    for (String range : accept.get().toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = range.split(";", -1);
      String type = parts[0].strip();
      if (type.equals(PROTOBUF_TYPE) && isDelimited(parts)) {
        protobuf = Math.max(protobuf, quality(parts));
      } else if (type.equals("text/plain")) {
        text = Math.max(text, quality(parts));
      }
    }
    return protobuf > text ? PROTOBUF : TEXT;
  }

  /** Whether a range is for families, each behind its size. */
  private static boolean isDelimited(String[] parts) {
    boolean families = false;
    boolean delimited = true;
    for (String part : parts) {
      String parameter = part.replace("\"", "").strip();
      families |= parameter.equals("proto=io.prometheus.client.metricfamily");
      delimited &= !parameter.startsWith("encoding=") || parameter.equals("encoding=delimited");
    }
    return families && delimited;
  }

  private static double quality(String[] parts) {
    for (String part : parts) {
      String parameter = part.strip();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException malformed) {
          return 0;
        }
      }
    }
    return 1;
  }
}
