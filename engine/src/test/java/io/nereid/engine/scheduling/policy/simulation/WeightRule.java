package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.NamedTicket;

/** A stateful batching rule: each request has a weight, and a batch a maximum weight. */
final class WeightRule implements BatchingRule {
  private final int maxWeight;
  private int weight;

  WeightRule(int maxWeight) {
    this.maxWeight = maxWeight;
  }

  /** The weight of a request, 0 to 2. */
  static int weight(Ticket ticket) {
    return (Integer) NamedTicket.nameOf(ticket) % 3;
  }

  @Override
  public void begin(Ticket first) {
    weight = weight(first);
  }

  @Override
  public boolean joins(Ticket next) {
    if (weight + weight(next) > maxWeight) {
      return false;
    }
    weight += weight(next);
    return true;
  }
}
