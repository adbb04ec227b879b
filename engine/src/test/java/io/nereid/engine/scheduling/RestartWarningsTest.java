package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.engine.testing.LogCapture;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.spi.Model;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log lines about sequences that are restarted before they have ended. */
@Timeout(120)
class RestartWarningsTest {
  private static final ModelKey MODEL = new ModelKey("m", 1);
  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(4, List.of(), List.of())
          .withScheduling(
              new SequenceSettings(
                  60_000_000,
                  List.of(),
                  new SequenceSettings.Strategy.Oldest(4, List.of(), 0, false),
                  List.of(),
                  false));

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final Model model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
  private final InstanceGroup instances =
      InstanceGroup.open(
          GroupSettings.of(
              ExecutedModels.of(CONFIG, model, pool, clock::nanos, TestStatistics.of(MODEL))),
          List.of(FakeModel.instance("m_0")));
  private final Scheduler scheduler =
      SchedulerLoop.start(instances, clock, QueueLimits.of(64), DecisionJournal.NONE);
  private final LogCapture log = new LogCapture(RestartWarnings.class.getName());

  @AfterEach
  void close() {
    log.close();
    assertThat(log.records()).allMatch(record -> record.getLevel().equals(Level.WARNING));
    scheduler.close();
    instances.close();
  }

  /** Runs a request that starts a sequence. */
  private void start(SequenceId id, boolean end) {
    var outcome = new RecordedOutcome();
    scheduler.submit(
        new PendingRequest(
            new InferenceRequest(
                MODEL,
                "r",
                List.of(),
                List.of(),
                new RequestOptions(id, true, end, 0, 0, Map.of())),
            1,
            List.of(),
            () -> {},
            new ResponsePromise(outcome),
            clock.nanos(),
            Long.MAX_VALUE));
    outcome.response().close();
  }

  @Test
  void logsTheIdAndTheModelOfARestartedSequence() {
    start(new SequenceId.OfString("talk"), false);
    assertThat(log.messages()).isEmpty();
    start(new SequenceId.OfString("talk"), false);
    assertThat(log.messages())
        .containsExactly("sequence talk of model 'm' starts anew before it has ended");
  }

  @Test
  void logsNothingIfTheSequenceHasEnded() {
    start(new SequenceId.OfNumber(1_234_567), true);
    start(new SequenceId.OfNumber(1_234_567), true);
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void logsAtMostOneLineInTenSeconds() {
    var id = new SequenceId.OfNumber(1_234_567);
    for (int i = 0; i < 5; i++) {
      start(id, false);
    }
    assertThat(log.messages())
        .containsExactly("sequence 1234567 of model 'm' starts anew before it has ended");

    clock.advance(Duration.ofSeconds(10));
    start(id, false);
    start(id, false);
    assertThat(log.messages())
        .hasSize(2)
        .last()
        .isEqualTo(
            "sequence 1234567 of model 'm' starts anew before it has ended; since the last such"
                + " line 3 more did");
  }
}
