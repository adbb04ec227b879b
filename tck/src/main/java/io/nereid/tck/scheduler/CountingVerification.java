package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.Statistics.Reason;
import java.time.Duration;
import java.util.Map;

/** Statistics of a scheduler. */
public abstract class CountingVerification extends SchedulerVerification {
  @Rule("SCHED-17")
  void countsRowsAndBatchesBySize() {
    var model = load(8, "dynamic_batching { preferred_batch_size: [ 2, 6 ]" + WITH_DELAY + "}");
    model.block();
    model.submitAll(1, 2, 3);
    model.open();

    Statistics statistics = model.statistics();
    assertThat(statistics.success()).isEqualTo(4);
    assertThat(statistics.failed()).isZero();
    assertThat(statistics.inferenceCount()).isEqualTo(14);
    assertThat(statistics.executionCount()).isEqualTo(2);
    assertThat(statistics.batches()).isEqualTo(Map.of(8L, 1L, 6L, 1L));
  }

  @Rule("SCHED-27")
  void countsNoRequestThatItRejected() {
    var model = load(8, "dynamic_batching { default_queue_policy { max_queue_size: 1 } }");
    model.block();
    model.submitAll(1, 1, 1);
    model.open();

    assertThat(model.statistics().success()).isEqualTo(2);
    assertThat(model.statistics().failed()).isZero();
  }

  @Rule("SCHED-28")
  void countsARequestThatTimedOutAsRejected() {
    var model =
        load(
            8,
            "dynamic_batching { default_queue_policy { default_timeout_microseconds: 100000 } }");
    model.block();
    model.submit("r1");
    model.advance(Duration.ofSeconds(1));
    model.open();

    assertOneFailed(model, Reason.REJECTED);
    assertThat(model.statistics().success()).isEqualTo(1);
  }

  @Rule("SCHED-COUNT-01")
  void countsARequestThatItsModelFails() {
    var model = load(8, "dynamic_batching { }");
    model.gate().reply("r1", Reply.failure(InferenceException.invalid("as it was told")));
    model.block();
    model.submitAll(1, 1);
    model.open();

    assertOneFailed(model, Reason.BACKEND);
    assertThat(model.statistics().inferenceCount()).isEqualTo(9);
  }

  @Rule("SCHED-35")
  void countsACancelledRequest() {
    var model = load(8, "dynamic_batching { default_queue_policy { max_queue_size: 10 } }");
    model.block();
    model.submit("r1").cancel();
    model.open();

    assertOneFailed(model, Reason.CANCELED);
    assertThat(model.statistics().executionCount()).isEqualTo(1);
  }
}
