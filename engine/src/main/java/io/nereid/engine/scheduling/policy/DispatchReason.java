package io.nereid.engine.scheduling.policy;

/** Why a batch is dispatched now, with these requests. */
public enum DispatchReason {
  /** The batch has a preferred size, or at least as many rows as the largest one. */
  PREFERRED_SIZE,
  /** The next request would not fit into the model's maximum batch size. */
  MAX_BATCH_SIZE,
  /** With the next request, or any other, the batch would cost more than the model's maximum. */
  MAX_BATCH_COST,
  /** With the next request, too much of the batch's cost would be padding. */
  MAX_PADDING,
  /** The next request has another shape, other shape tensor content or other inputs. */
  NEXT_DIFFERS,
  /** The model's batching strategy excludes the next request. */
  STRATEGY,
  /** No delay is configured. */
  NO_DELAY,
  /** The oldest request has waited for the maximum delay. */
  DELAY_PASSED,
  /** {@link AdaptiveDelay}: a single request is dispatched without the delay. */
  DELAY_SKIPPED,
  /** A batch with the next request too would end after a deadline. */
  DEADLINE,
  /** Enough slots of the instance have a request. */
  SLOTS_READY
}
