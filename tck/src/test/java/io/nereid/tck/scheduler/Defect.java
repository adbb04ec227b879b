package io.nereid.tck.scheduler;

/** A defect of a {@link PlainScheduler}. */
enum Defect {
  NONE,
  /** The newest request is executed first. */
  RUNS_THE_NEWEST_FIRST,
  /** Requests are assigned to instances that are busy. */
  ASSIGNS_REQUESTS_TO_BUSY_INSTANCES,
  /** A passive instance executes batches. */
  RUNS_PASSIVE_INSTANCES,
  /** The smallest preferred size that is reached is dispatched. */
  TAKES_THE_SMALLEST_PREFERRED_SIZE,
  /** The rest of a batch does not wait for the delay. */
  NEVER_WAITS,
  /** Requests are added until the batch is full. */
  EXCEEDS_PREFERRED_SIZES,
  /** Requests whose delay expired are still dispatched in preferred sizes. */
  NEVER_LATE,
  /** A batch of another size always waits for the delay. */
  WAITS_WITH_LARGE_REQUESTS,
  /** Each batch has one request. */
  NEVER_JOINS_REQUESTS,
  /** Requests of all shapes share a batch. */
  IGNORES_SHAPES,
  /** Shapes are compared even where they may be ragged. */
  REJECTS_RAGGED_BATCHES,
  /** Shape tensors are compared up to the first zero. */
  STOPS_AT_A_ZERO,
  /** Requests with different inputs share a batch. */
  IGNORES_INPUT_SETS,
  /** Requests that want different outputs do not share a batch. */
  SEPARATES_BY_OUTPUTS,
  /** Queues have no limit. */
  NEVER_REJECTS,
  /** Nothing is rejected while every instance is busy. */
  REJECTS_WHEN_IDLE_ONLY,
  /** Every request that times out is rejected. */
  REJECTS_WHAT_IS_DELAYED,
  /** Requests that time out keep their place. */
  DELAYS_NOTHING,
  /** A request's own timeout applies, whatever the model allows. */
  ALLOWS_ANY_TIMEOUT,
  /** All requests have the same level. */
  IGNORES_LEVELS,
  /** An unknown level counts as the lowest. */
  PUTS_UNKNOWN_LEVELS_LAST,
  /** All levels have the default policy. */
  HAS_ONE_POLICY,
  /** Responses are sent as they are produced. */
  ANSWERS_OUT_OF_ORDER,
  /** A rejected request waits for the requests before it. */
  REJECTS_IN_ORDER,
  /** A cancelled request is executed. */
  RUNS_CANCELLED_REQUESTS,
  /** A request that finds the queue full counts as failed. */
  COUNTS_REJECTED_REQUESTS,
  /** Batches are counted by their requests. */
  COUNTS_REQUESTS_AS_ROWS,
  /** Failures are counted without their reason. */
  COUNTS_NO_REASONS,
  /** The last request of a batch gets two responses. */
  ANSWERS_TWICE
}
