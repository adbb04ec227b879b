package io.nereid.server.http;

import io.nereid.server.codec.LongWork;

/**
 * Which lists of what the server has are long work: a virtual thread that makes a long one keeps
 * its processor from all others meanwhile.
 */
final class StatusWork {
  /** From so many entries on a list takes about half a millisecond. */
  private static final int MANY = 64;

  private StatusWork() {}

  /** The size of a list of so many entries, for {@link LongWork#call}. */
  static long size(int entries) {
    return (long) entries * LongWork.LEAST / MANY;
  }
}
