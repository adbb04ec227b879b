package io.nereid.spi.metrics;

import java.util.concurrent.atomic.AtomicLong;

/** A number that rises and falls. One that is not finite is not shown. */
public final class Gauge implements Metric {
  /** Of a {@code double}; 0 is that of 0.0. */
  private final AtomicLong bits = new AtomicLong();

  Gauge() {}

  /** Sets the value. */
  public void set(double value) {
    bits.set(Double.doubleToRawLongBits(value));
  }

  /** Adds a number, which may be negative. */
  public void add(double number) {
    long before;
    long after;
    do {
      before = bits.get();
      after = Double.doubleToRawLongBits(Double.longBitsToDouble(before) + number);
    } while (!bits.compareAndSet(before, after));
  }

  /** The present value. */
  public double value() {
    return Double.longBitsToDouble(bits.get());
  }
}
