package io.nereid.tools;

import java.util.OptionalInt;

/**
 * Finds how many requests in flight a server needs to do all that it can: their number doubles
 * until three times in a row it has not raised the rate by 5 %, or is the most allowed. Pure; used
 * by one thread.
 */
final class SaturationSearch {
  private static final double RISE = 1.05;
  private static final int FLAT = 3;

  private final int maxInFlight;
  private int next = 1;
  private int best;
  private double bestRate;

  /** The rate with {@link #best} in flight. */
  private double rate;

  /** What counts as the best for the next comparison: {@link #bestRate} when it last rose. */
  private double comparedRate;

  private int flat;

  /** Whether the last one was slower than the best. */
  private boolean falls;

  SaturationSearch(int maxInFlight) {
    this.maxInFlight = maxInFlight;
  }

  /** The number in flight to measure next; empty at the end. */
  OptionalInt next() {
    return next > maxInFlight || flat == FLAT ? OptionalInt.empty() : OptionalInt.of(next);
  }

  /** Takes the rate of the last one. */
  void measured(double measured) {
    if (measured > comparedRate * RISE) {
      comparedRate = measured;
      flat = 0;
    } else {
      flat++;
    }
    // the fewest in flight that reach the rate, so that latencies are not those of a queue
    if (measured > bestRate * (flat == 0 ? 1 : RISE)) {
      best = next;
      rate = measured;
    }
    falls = measured < bestRate;
    bestRate = Math.max(bestRate, measured);
    next *= 2;
  }

  /** Whether more in flight have not raised the rate. */
  boolean isFound() {
    return flat == FLAT || (falls && next > maxInFlight);
  }

  /** The fewest in flight with which the rate was reached, to 5 %. */
  int inFlight() {
    return best;
  }

  /** The rate with {@link #inFlight} in flight. */
  double rate() {
    return rate;
  }
}
