package io.nereid.server.telemetry.access;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The lines of the access log: JSON objects without line ends. Members without a value are left
 * out.
 */
final class AccessJson {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final HexFormat HEX = HexFormat.of();
  private static final int NANOS_PER_MICRO = 1_000;

  /** The most characters of an error. */
  private static final int MAX_ERROR = 300;

  private AccessJson() {}

  /** Appends the line of an entry. */
  static void append(StringBuilder json, AccessEntry entry) {
    json.append("{\"time\":\"");
    TIME.formatTo(entry.time, json);
    json.append('"');
    string(json, "client", entry.client);
    string(json, "client_name", entry.clientName);
    string(json, "forwarded_for", entry.forwardedFor);
    string(json, "user_agent", entry.userAgent);
    string(json, "request_id", entry.requestId);
    switch (entry.protocol) {
      case HTTP -> {
        string(json, "protocol", "http");
        string(json, "method", entry.method);
        string(json, "path", entry.path);
      }
      case GRPC -> {
        string(json, "protocol", "grpc");
        string(json, "rpc", entry.method);
      }
    }
    string(json, "model", entry.model);
    string(json, "version", entry.version);
    string(json, "id", entry.id);
    if (entry.status != 0) {
      number(json, "status", entry.status);
    }
    string(json, "grpc_status", entry.grpcStatus);
    string(json, "error", firstSentence(entry.error));
    number(json, "bytes_in", entry.bytesIn);
    number(json, "bytes_out", entry.bytesOut);
    number(json, "total_us", entry.totalNanos / NANOS_PER_MICRO);
    if (entry.queueNanos != AccessEntry.UNKNOWN) {
      number(json, "queue_us", entry.queueNanos / NANOS_PER_MICRO);
      number(json, "compute_us", entry.computeNanos / NANOS_PER_MICRO);
    }
    string(json, "trace_id", entry.traceId);
    if (entry.trace != 0) {
      number(json, "trace", entry.trace);
    }
    json.append("}\n");
  }

  /** The text up to the end of its first line or sentence. */
  static String firstSentence(String text) {
    int end = Math.min(text.length(), MAX_ERROR);
    int line = text.indexOf('\n');
    int sentence = text.indexOf(". ");
    if (line >= 0) {
      end = Math.min(end, line);
    }
    if (sentence >= 0) {
      end = Math.min(end, sentence);
    }
    return text.substring(0, end);
  }

  private static void number(StringBuilder json, String name, long value) {
    json.append(",\"").append(name).append("\":").append(value);
  }

  /** Whether a terminal would obey a character: also C1 controls and directions of writing. */
  private static boolean isControl(char c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static void string(StringBuilder json, String name, String value) {
    if (value.isEmpty()) {
      return;
    }
    json.append(",\"").append(name).append("\":\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (isControl(c)) {
        json.append("\\u").append(HEX.toHexDigits(c));
      } else {
        json.append(c);
      }
    }
    json.append('"');
  }
}
