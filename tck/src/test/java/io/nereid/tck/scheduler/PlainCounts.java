package io.nereid.tck.scheduler;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The statistics of a {@link PlainModel}. Guarded by the scheduler. */
final class PlainCounts {
  private final Defect defect;
  private final Map<Statistics.Reason, Long> failures = new EnumMap<>(Statistics.Reason.class);
  private final Map<Long, Long> batches = new HashMap<>();
  private long successes;
  private long rowsOfSuccesses;

  PlainCounts(Defect defect) {
    this.defect = defect;
  }

  /** A request that found the queue full. */
  void rejected() {
    if (defect == Defect.COUNTS_REJECTED_REQUESTS) {
      failures.merge(Statistics.Reason.OTHER, 1L, Long::sum);
    }
  }

  void failure(Statistics.Reason reason) {
    boolean confused = defect == Defect.COUNTS_NO_REASONS;
    failures.merge(confused ? Statistics.Reason.OTHER : reason, 1L, Long::sum);
  }

  void execution(List<Waiting> batch) {
    long rows = batch.stream().mapToLong(each -> each.rows).sum();
    batches.merge(defect == Defect.COUNTS_REQUESTS_AS_ROWS ? batch.size() : rows, 1L, Long::sum);
  }

  void success(Waiting waiting) {
    successes++;
    rowsOfSuccesses += waiting.rows;
  }

  Statistics statistics() {
    long executions = batches.values().stream().mapToLong(Long::longValue).sum();
    return new Statistics(successes, failures, rowsOfSuccesses, executions, batches, 0, 0);
  }
}
