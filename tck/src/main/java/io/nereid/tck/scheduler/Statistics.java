package io.nereid.tck.scheduler;

import java.util.Map;

/**
 * Statistics of a model since it was loaded.
 *
 * @param success requests that succeeded
 * @param failures requests that were accepted and failed, by reason; a reason without any may be
 *     left out
 * @param inferenceCount rows of the requests that succeeded
 * @param executionCount batches executed
 * @param batches how many batches of each number of rows
 * @param cacheHits requests answered by the response cache
 * @param cacheMisses requests that were answered otherwise, of a model that uses the cache
 */
public record Statistics(
    long success,
    Map<Reason, Long> failures,
    long inferenceCount,
    long executionCount,
    Map<Long, Long> batches,
    long cacheHits,
    long cacheMisses) {
  /** Why a request failed. */
  public enum Reason {
    REJECTED,
    CANCELED,
    BACKEND,
    OTHER
  }

  public Statistics {
    failures = Map.copyOf(failures);
    batches = Map.copyOf(batches);
  }

  /** Requests that failed for that reason. */
  public long failed(Reason reason) {
    return failures.getOrDefault(reason, 0L);
  }

  /** Requests that failed, for any reason. */
  public long failed() {
    return failures.values().stream().mapToLong(Long::longValue).sum();
  }
}
