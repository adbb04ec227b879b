package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import java.util.List;

/** Requests that are cancelled while they wait. */
public abstract class CancellationVerification extends SchedulerVerification {
  @Rule("SCHED-35")
  void answersACancelledRequestAndNeverRunsIt() {
    var model = load(8, "dynamic_batching { default_queue_policy { max_queue_size: 10 } }");
    model.block();
    var before = model.submit("r0");
    var cancelled = model.submit("r1");
    var after = model.submit("r2");

    cancelled.cancel();
    model.open();

    assertFailed(cancelled.await(), StatusCode.CANCELLED, "");
    assertThat(model.ids()).containsExactly(List.of("r0", "r2"));
    model.assertEchoed(List.of(before, after));
  }

  @Rule("SCHED-35")
  void formsBatchesWithoutCancelledRequests() {
    var queue = "default_queue_policy { max_queue_size: 10 }";
    var model =
        load(8, "dynamic_batching { preferred_batch_size: [ 2 ]" + WITH_DELAY + queue + " }");
    model.block();
    model.submit("r0");
    var cancelled = model.submit("r1");
    model.submit("r2");

    cancelled.cancel();
    model.open();

    assertThat(model.ids()).containsExactly(List.of("r0", "r2"));
  }
}
