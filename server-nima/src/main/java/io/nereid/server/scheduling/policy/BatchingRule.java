package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;

/** A model's own word on which requests share a batch, beside sizes, delays and shapes. */
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

  /** A batch is considered anew, beginning with that request. */
  void begin(Ticket first);

  /** Whether the next request may join; if not, the batch ends before it. */
  boolean joins(Ticket next);
}
