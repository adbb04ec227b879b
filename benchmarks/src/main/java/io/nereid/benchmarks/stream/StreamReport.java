package io.nereid.benchmarks.stream;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The result of one round.
 *
 * @param clients have ended
 * @param seconds the duration of the round
 * @param serverSeconds of the server's CPU time
 * @param endNanos from when the last client left until the server had ended the requests of all
 *     that did; negative if none left
 */
record StreamReport(
    List<StreamClient> clients, double seconds, double serverSeconds, long endNanos) {
  private static final double NANOS_PER_MILLI = 1e6;

  /** The headings of the columns of {@link #row}. */
  static final String HEADER =
      "clients  tokens/s   first p50   first p99  between p50  between p99"
          + "  between max   us/token   left  ended after";

  long tokens() {
    return clients.stream().mapToLong(StreamClient::events).sum();
  }

  /** The first failure of a client; empty if there is none. */
  Optional<String> failure() {
    return clients.stream().map(StreamClient::failure).filter(text -> !text.isEmpty()).findFirst();
  }

  /** Times in milliseconds, CPU time in microseconds. */
  String row() {
    var first = new Histogram(3);
    var between = new Histogram(3);
    for (StreamClient client : clients) {
      first.recordValue(client.firstNanos());
      between.add(client.betweenNanos());
    }
    return String.format(
        Locale.ROOT,
        "%7d %9.0f %11.2f %11.2f %12.2f %12.2f %12.2f %10.1f %6d %12s",
        clients.size(),
        tokens() / seconds,
        first.getValueAtPercentile(50) / NANOS_PER_MILLI,
        first.getValueAtPercentile(99) / NANOS_PER_MILLI,
        between.getValueAtPercentile(50) / NANOS_PER_MILLI,
        between.getValueAtPercentile(99) / NANOS_PER_MILLI,
        between.getMaxValue() / NANOS_PER_MILLI,
        serverSeconds * 1e6 / Math.max(1, tokens()),
        clients.stream().filter(StreamClient::hasLeft).count(),
        endNanos < 0 ? "-" : String.format(Locale.ROOT, "%.1f", endNanos / NANOS_PER_MILLI));
  }
}
