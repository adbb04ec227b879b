package io.nereid.spi.cache;

/**
 * What a cache holds, and what it has done since it was opened.
 *
 * @param entries entries that a look-up can find
 * @param usedBytes memory in use, including that of evicted entries that are still read
 * @param capacityBytes the most that {@code usedBytes} can be, the same at all times; 0 if there is
 *     no such limit
 * @param hits look-ups that found an entry
 * @param misses look-ups that found none
 * @param evictions entries removed to make room for others
 */
public record CacheMetrics(
    long entries, long usedBytes, long capacityBytes, long hits, long misses, long evictions) {
  /** The share of the memory that is in use, from 0 to 1; 0 if there is no limit. */
  public double utilization() {
    return capacityBytes == 0 ? 0 : (double) usedBytes / capacityBytes;
  }
}
