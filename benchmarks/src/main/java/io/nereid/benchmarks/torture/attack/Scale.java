package io.nereid.benchmarks.torture.attack;

import java.time.Duration;

/**
 * How large attacks are.
 *
 * @param share of the numbers and sizes of a whole attack, more than 0 and at most 1
 * @param hold how long connections stay that wait for what the server does
 */
public record Scale(double share, Duration hold) {
  public Scale {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("the share must be above 0 and at most 1, got " + share);
    }
  }

  /**
   * The number of connections, streams or frames of an attack with {@code full} of them; at least
   * one.
   */
  public int count(int full) {
    return Math.toIntExact(bytes(full));
  }

  /** The size of an attack with {@code full} bytes; at least one. */
  public long bytes(long full) {
    return Math.max(1, Math.round(full * share));
  }

  /** {@link #hold}, at most {@code most}. */
  public Duration hold(Duration most) {
    return hold.compareTo(most) < 0 ? hold : most;
  }
}
