package io.nereid.engine.telemetry;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Ids that are unlike all others, and no secret. */
public final class HexId {
  private HexId() {}

  /** 32 hexadecimal digits that are not all zero, as OpenTelemetry's traces have them. */
  public static String next() {
    var random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong() | 1);
  }
}
