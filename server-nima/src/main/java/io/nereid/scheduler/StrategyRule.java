package io.nereid.scheduler;

import io.nereid.exchange.PendingRequest;
import io.nereid.policy.BatchingRule;
import io.nereid.policy.Ticket;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.BatchingStrategy;

/** A backend's batching strategy, asked about requests by their tickets. */
record StrategyRule(BatchingStrategy strategy) implements BatchingRule {
  @Override
  public void begin(Ticket first) {
    strategy.begin(request(first));
  }

  @Override
  public boolean joins(Ticket next) {
    return strategy.includes(request(next));
  }

  private static InferenceRequest request(Ticket ticket) {
    return ((PendingRequest) ticket).request();
  }
}
