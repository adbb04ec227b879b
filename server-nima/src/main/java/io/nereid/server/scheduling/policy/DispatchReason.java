package io.nereid.server.scheduling.policy;

/** Why a batch goes out as it is, and now. */
public enum DispatchReason {
  /** It has a preferred size, or as many rows as the largest of them, or more. */
  PREFERRED_SIZE,
  /** The next request would not fit into the model's maximum batch size. */
  MAX_BATCH_SIZE,
  /** The next request differs in shape, in a shape's content, or in the inputs that it has. */
  NEXT_DIFFERS,
  /** The model's own batching strategy wants the next request in another batch. */
  STRATEGY,
  /** There is no delay: what is there goes. */
  NO_DELAY,
  /** The oldest request has waited for the maximum delay. */
  DELAY_PASSED,
  /** Waiting has brought nothing lately: a lone request goes at once. */
  WAITED_IN_VAIN,
  /** Requests of sequences are ready, and enough of them. */
  SLOTS_READY
}
