package io.nereid.benchmarks.load.stall;

import static java.util.stream.Collectors.joining;

import io.nereid.tools.load.Stall;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Says when a server, or what lies between it and the generator, stood still.
 *
 * @param windowStartNanos the beginning of the measurement
 * @param pauses that may be causes
 */
public record StallReport(long windowStartNanos, List<Stall> stalls, List<Pause> pauses) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  /** A line for each stall, with the longest pauses that were at the same time. */
  public List<String> lines() {
    return stalls.stream().map(this::line).toList();
  }

  private String line(Stall stall) {
    var causes =
        pauses.stream()
            .filter(pause -> overlap(stall, pause))
            .sorted(Comparator.comparingLong(Pause::nanos).reversed())
            .limit(3)
            .map(pause ->
                String.format(
                    Locale.ROOT, "%s %.1f ms", pause.what(), pause.nanos() / NANOS_PER_MILLI))
            .collect(joining(", "));
    return String.format(
        Locale.ROOT,
        "  stall at %.3f s: %d requests, at most %.1f ms; %s",
        (stall.startNanos() - windowStartNanos) / NANOS_PER_SECOND,
        stall.requests(),
        stall.maxNanos() / NANOS_PER_MILLI,
        causes.isEmpty() ? "no pause" : causes);
  }

  /** Whether the two have a moment in common. */
  private static boolean overlap(Stall stall, Pause pause) {
    return pause.startNanos() - stall.endNanos() <= 0 && pause.endNanos() - stall.startNanos() >= 0;
  }
}
