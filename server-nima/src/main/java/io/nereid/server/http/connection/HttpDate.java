package io.nereid.server.http.connection;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The date of responses (RFC 9110, section 5.6.7), formatted once a second. */
final class HttpDate {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** The text of a second since the epoch. */
  private record Formatted(long second, String text) {}

  private static volatile Formatted last = format(0);

  private HttpDate() {}

  static String now() {
    long second = System.currentTimeMillis() / 1000;
    Formatted formatted = last;
    if (formatted.second != second) {
      formatted = format(second);
      last = formatted;
    }
    return formatted.text;
  }

  private static Formatted format(long second) {
    return new Formatted(second, FORMAT.format(Instant.ofEpochSecond(second)));
  }
}
