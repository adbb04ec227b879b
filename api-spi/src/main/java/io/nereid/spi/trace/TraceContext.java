package io.nereid.spi.trace;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The context of a trace that a client has begun, as it was sent (W3C, Trace Context, sections 3.2
 * and 3.3).
 *
 * @param parent a valid {@code traceparent}
 * @param state {@code tracestate}; empty if there was none
 */
public record TraceContext(String parent, String state) {
  private static final Pattern PARENT =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");

  /** The context; empty if {@code parent} is not valid. */
  public static Optional<TraceContext> parse(String parent, String state) {
    var matcher = PARENT.matcher(parent);
    if (!matcher.matches()
        || matcher.group(1).equals("ff")
        || (matcher.group(1).equals("00") && matcher.group(4) != null)
        || isZero(matcher.group(2))
        || isZero(matcher.group(3))) {
      return Optional.empty();
    }
    return Optional.of(new TraceContext(parent, state));
  }

  /** The trace's id: 32 hexadecimal digits. */
  public String traceId() {
    return parent.substring(3, 35);
  }

  private static boolean isZero(String digits) {
    return digits.chars().allMatch(digit -> digit == '0');
  }
}
