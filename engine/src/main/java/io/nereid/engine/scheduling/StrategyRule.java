package io.nereid.engine.scheduling;

import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.BatchingStrategy;
import java.lang.System.Logger.Level;

/**
 * A {@link BatchingRule} that calls the batching strategy of a backend. If the strategy throws, the
 * batch ends before the request, and the first such failure is logged. One thread at a time.
 */
final class StrategyRule implements BatchingRule {
  private static final System.Logger LOG = System.getLogger(StrategyRule.class.getName());

  private final BatchingStrategy strategy;
  private boolean logged;

  StrategyRule(BatchingStrategy strategy) {
    this.strategy = strategy;
  }

  @Override
  public void begin(Ticket first) {
    try {
      strategy.begin(request(first));
    } catch (Throwable bug) { // the model's requests must still be executed
      log(bug);
    }
  }

  @Override
  public boolean joins(Ticket next) {
    try {
      return strategy.includes(request(next));
    } catch (Throwable bug) {
      log(bug);
      return false;
    }
  }

  private void log(Throwable bug) {
    if (!logged) {
      logged = true;
      LOG.log(Level.ERROR, strategy.getClass().getName() + " failed, here for the first time", bug);
    }
  }

  private static InferenceRequest request(Ticket ticket) {
    return ((PendingRequest) ticket).request();
  }
}
