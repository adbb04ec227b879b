package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;

/** A rule whose results are recorded with the decision. */
record RecordingRule(BatchingRule rule, OpenDecision decision) implements BatchingRule {
  @Override
  public void begin(Ticket first) {
    rule.begin(first);
  }

  @Override
  public boolean joins(Ticket next) {
    boolean joins = rule.joins(next);
    if (decision.isRecorded()) {
      decision.add(new Entry.RuleResult(joins));
    }
    return joins;
  }
}
