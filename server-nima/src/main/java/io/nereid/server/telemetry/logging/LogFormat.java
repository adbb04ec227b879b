package io.nereid.server.telemetry.logging;

import java.util.Arrays;
import java.util.Optional;

/** The formats of a line of the log. */
public enum LogFormat {
  /** {@code I1121 06:58:01.123456}. */
  DEFAULT("default"),
  /** {@code 2026-11-21T06:58:01Z I}. */
  ISO8601("ISO8601"),
  /** An object of JSON. */
  JSON("json");

  private final String text;

  LogFormat(String text) {
    this.text = text;
  }

  /** The format of that name, with its letter case. */
  public static Optional<LogFormat> parse(String text) {
    return Arrays.stream(values()).filter(format -> format.text.equals(text)).findFirst();
  }

  /** As in options and settings. */
  @Override
  public String toString() {
    return text;
  }
}
