package io.nereid.benchmarks.torture.attack;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests of another client on new connections, one after the other, while the connections of an
 * attack stay.
 *
 * @param failed how many failed
 * @param reason of the first failure; empty if there is none
 */
public record Probes(int sent, int failed, String reason, double p99Millis) {
  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final double NANOS_PER_MILLI = 1e6;

  /** A request on a new connection. */
  public interface Request {
    /**
     * Sends it, and waits for the response.
     *
     * @throws IOException if the connection or the request is refused
     */
    void send() throws IOException;
  }

  /** Sends requests until {@code duration} has passed, at least one. */
  public static Probes during(Duration duration, Request request) {
    long deadline = System.nanoTime() + duration.toNanos();
    long[] nanos = new long[Math.toIntExact(1 + duration.toNanos() / INTERVAL.toNanos())];
    int sent = 0;
    int failed = 0;
    String reason = "";
    do {
      long start = System.nanoTime();
      try {
        request.send();
      } catch (IOException e) {
        reason = failed++ == 0 ? String.valueOf(e.getMessage()) : reason;
      }
      nanos[sent++] = System.nanoTime() - start;
      LockSupport.parkNanos(start + INTERVAL.toNanos() - System.nanoTime());
    } while (sent < nanos.length && System.nanoTime() - deadline < 0);
    long[] sorted = Arrays.copyOf(nanos, sent);
    Arrays.sort(sorted);
    double p99 = sorted[(int) Math.ceil(0.99 * sent) - 1] / NANOS_PER_MILLI;
    return new Probes(sent, failed, reason, p99);
  }

  /** What an attack tells of these, which it requires to succeed. */
  public Outcome outcome(String attack) {
    String answer =
        String.format(
            Locale.ROOT,
            "%s; another client: %d of %d failed, p99 %.0f ms",
            attack,
            failed,
            sent,
            p99Millis);
    return Outcome.of(answer).require(failed == 0, "a request of another client fails: " + reason);
  }
}
