package io.nereid.tck.scheduler;

/** What a {@link PlainScheduler} does wrong. */
enum Defect {
  NONE,
  /** The newest request goes first. */
  RUNS_THE_NEWEST_FIRST,
  /** Requests are dealt out to instances before these are idle. */
  DEALS_REQUESTS_OUT,
  /** A passive instance runs batches. */
  RUNS_PASSIVE_INSTANCES,
  /** The first preferred size that is reached goes. */
  TAKES_THE_SMALLEST_PREFERRED_SIZE,
  /** What is left does not wait for its delay. */
  NEVER_WAITS,
  /** Requests are added until the batch is full. */
  EXCEEDS_PREFERRED_SIZES,
  /** Late requests still go in preferred sizes. */
  NEVER_LATE,
  /** Whatever is not of a preferred size waits for its delay. */
  WAITS_WITH_LARGE_REQUESTS,
  /** A request that waited alone goes alone. */
  LETS_NOBODY_JOIN,
  /** Requests of all shapes share a batch. */
  IGNORES_SHAPES,
  /** Shapes are compared though they may be ragged. */
  REFUSES_RAGGED_BATCHES,
  /** Shape tensors are compared up to the first zero. */
  STOPS_AT_A_ZERO,
  /** Requests with different inputs share a batch. */
  IGNORES_INPUT_SETS,
  /** Requests that want different outputs do not share a batch. */
  SEPARATES_BY_OUTPUTS,
  /** Queues grow for ever. */
  HAS_ROOM_FOR_ALL,
  /** Nothing is rejected while every instance is busy. */
  REJECTS_WHEN_IDLE_ONLY,
  /** Whatever is over time is rejected. */
  REJECTS_WHAT_IS_DELAYED,
  /** Requests over time keep their place. */
  DELAYS_NOTHING,
  /** A request's own timeout counts, whatever the model allows. */
  BELIEVES_THE_REQUEST,
  /** All requests have the same level. */
  IGNORES_LEVELS,
  /** A level that there is not counts as the lowest. */
  PUTS_STRANGERS_LAST,
  /** All levels have the default policy. */
  HAS_ONE_POLICY,
  /** Answers leave as they come. */
  ANSWERS_OUT_OF_ORDER,
  /** A rejected request is answered in its turn. */
  REJECTS_IN_ORDER,
  /** A request that was called off runs all the same. */
  RUNS_CANCELLED_REQUESTS,
  /** A request that finds no room counts as failed. */
  COUNTS_REFUSED_REQUESTS,
  /** Batches are counted by their requests. */
  COUNTS_REQUESTS_AS_ROWS,
  /** Failures are counted without their reason. */
  COUNTS_NO_REASONS,
  /** The last request of a batch is answered twice. */
  ANSWERS_TWICE
}
