package io.nereid.benchmarks.torture.stop;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of the requests of one round. A request is lost if the server was sent all of it
 * before the signal and does not answer it with success. One that fails and was sent later is
 * refused. Thread-safe.
 */
final class Ledger {
  private static final int MAX_REASONS = 5;

  /** A request that failed. */
  private record Failure(long sentNanos, String reason) {}

  private final List<Failure> failures = new ArrayList<>();
  private long answered;
  private long slowestNanos;

  /** Whether the text of an error says that a server that stops has not accepted the request. */
  static boolean isRefusal(String text) {
    return text.contains("stopped accepting new requests")
        || text.contains("the server is stopping");
  }

  /** Counts a request that was answered with success. */
  synchronized void answered(long latencyNanos) {
    answered++;
    slowestNanos = Math.max(slowestNanos, latencyNanos);
  }

  /**
   * Counts a request that failed.
   *
   * @param sentNanos when its last byte had been sent; {@link Long#MAX_VALUE} if it was not sent,
   *     or if the server has said that it did not accept it
   */
  synchronized void failed(long sentNanos, String reason) {
    failures.add(new Failure(sentNanos, reason));
  }

  synchronized long answered() {
    return answered;
  }

  synchronized long slowestNanos() {
    return slowestNanos;
  }

  synchronized long refused(long signalNanos) {
    return failures.size() - lost(signalNanos);
  }

  synchronized long lost(long signalNanos) {
    return failures.stream().filter(failure -> isLost(failure, signalNanos)).count();
  }

  /** Why requests were lost; a few reasons at most. */
  synchronized List<String> reasons(long signalNanos) {
    return failures.stream()
        .filter(failure -> isLost(failure, signalNanos))
        .map(Failure::reason)
        .distinct()
        .limit(MAX_REASONS)
        .toList();
  }

  private static boolean isLost(Failure failure, long signalNanos) {
    return failure.sentNanos() != Long.MAX_VALUE && failure.sentNanos() - signalNanos < 0;
  }
}
