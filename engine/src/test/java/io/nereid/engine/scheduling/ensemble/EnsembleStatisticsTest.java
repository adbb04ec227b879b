package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.error.InferenceException;
import org.junit.jupiter.api.Test;

class EnsembleStatisticsTest {
  private final EnsembleFixture fixture = EnsembleFixture.chain();

  @Test
  void aRequestCountsAsOneExecutionWithTheSumOfItsStepsTimes() {
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("a").answer(1);
    fixture.model("b").answer(1);
    sent.response().close();

    StatisticsSnapshot statistics = fixture.statistics();
    assertThat(statistics.executionCount()).isEqualTo(1);
    assertThat(statistics.inferenceCount()).isEqualTo(1);
    assertThat(statistics.batches()).containsOnlyKeys(1L);
    assertThat(statistics.requests().success().count()).isEqualTo(1);
    assertThat(statistics.requests().computeInput()).isEqualTo(new DurationSum(1, 2));
    assertThat(statistics.requests().computeInfer()).isEqualTo(new DurationSum(1, 40));
    assertThat(statistics.requests().computeOutput()).isEqualTo(new DurationSum(1, 600));
  }

  @Test
  void reportsItsTimesToAnOuterEnsemble() {
    Sent sent = fixture.send(fixture.scheduler());
    fixture.model("a").answer(1);
    fixture.model("b").answer(1);
    sent.response().close();

    assertThat(sent.outcome().computeNanos()).containsExactly(2L, 40L, 600L);
  }

  @Test
  void countsAFailureOnceWhateverItsReason() {
    fixture.send(fixture.scheduler());

    fixture.model("a").fail(InferenceException.unavailable("Request timeout expired"));

    StatisticsSnapshot statistics = fixture.statistics();
    assertThat(statistics.requests().fail().count()).isEqualTo(1);
    assertThat(statistics.failures()).containsEntry(FailureReason.OTHER, 1L);
    assertThat(statistics.executionCount()).isZero();
  }

  @Test
  void aRunningRequestDoesNotCountAsPending() {
    Sent sent = fixture.send(fixture.scheduler());

    assertThat(fixture.statistics().pending()).isZero();
    fixture.model("a").answer(1);
    fixture.model("b").answer(1);
    sent.response().close();
  }
}
