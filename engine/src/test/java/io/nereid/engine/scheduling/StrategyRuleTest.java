package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.spi.BatchingStrategy;
import io.nereid.tensor.Shape;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StrategyRuleTest {
  @Test
  void aStrategyThatThrowsEndsTheBatch() {
    var rule =
        new StrategyRule(
            new BatchingStrategy() {
              @Override
              public void begin(InferenceRequest first) {
                throw new IllegalStateException("bug");
              }

              @Override
              public boolean includes(InferenceRequest next) {
                throw new StackOverflowError("bug");
              }
            });
    var pool = new CheckedBufferPool();
    try (PendingRequest request =
        SimulatedRequest.of(0, "r0", Shape.of(1, 3), new AtomicInteger())
            .pending(pool, RequestOptions.NONE, 0, Long.MAX_VALUE)) {
      rule.begin(request);
      assertThat(rule.joins(request)).isFalse();
    }
    assertThat(pool.outstanding()).isZero();
  }
}
