package io.nereid.spi.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * A number that only grows. To count costs what {@link LongAdder} costs: no lock, no allocation.
 */
public final class Counter implements Metric {
  private final LongAdder count = new LongAdder();

  Counter() {}

  /** Adds one. */
  public void increment() {
    count.increment();
  }

  /**
   * Adds a number.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void add(long number) {
    if (number < 0) {
      throw new IllegalArgumentException("a counter only grows, got " + number);
    }
    count.add(number);
  }

  /** The sum so far. */
  public long value() {
    return count.sum();
  }
}
