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
 */
public record Statistics(
    long success,
    Map<Reason, Long> failures,
    long inferenceCount,
    long executionCount,
    Map<Long, Long> batches) {
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
