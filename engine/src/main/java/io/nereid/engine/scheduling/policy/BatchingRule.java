package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/** A model's own condition on the requests of a batch, besides sizes, delays and shapes. */
public interface BatchingRule {
  /** Every request may join. */
  BatchingRule ALL =
      new BatchingRule() {
        @Override
        public void begin(Ticket first) {}

        @Override
        public boolean joins(Ticket next) {
          return true;
        }
      };

  /** Starts a new batch with that request. */
  void begin(Ticket first);

  /** Returns whether the next request may join; if not, the batch ends before it. */
  boolean joins(Ticket next);
}
