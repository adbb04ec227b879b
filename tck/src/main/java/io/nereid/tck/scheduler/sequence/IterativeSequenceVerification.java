package io.nereid.tck.scheduler.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.ExecutedRequest;
import io.nereid.tck.gate.Reply;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.Statistics.Reason;
import io.nereid.tck.scheduler.TestResponse;
import java.time.Duration;
import java.util.List;

/** Requests that their model reschedules. */
public abstract class IterativeSequenceVerification extends SequenceSchedulerVerification {
  /** A model that reschedules {@code r1} so many times. */
  private GatedModel iterative(String idle, int times) {
    var model = load(4, sequences("oldest { }", idle + "iterative_sequence: true"));
    model.gate().reply("r1", Reply.ECHO.afterRescheduling(times));
    return model;
  }

  private static TestResponse begin(GatedModel model) {
    var answer = model.submit("r1");
    model.gate().awaitBegun(1);
    return answer;
  }

  @Rule("SCHED-45")
  void runsARequestAgainAsOftenAsItsModelAsks() {
    var model = iterative(PATIENT, 2);
    var first = begin(model);
    var second = model.submit("r2");

    model.open();

    assertThat(model.ids()).hasSize(3);
    assertThat(model.ids().getFirst()).containsExactly("r1");
    assertThat(model.ids().get(1)).containsExactlyInAnyOrder("r1", "r2");
    assertThat(model.ids().getLast()).containsExactly("r1");
    assertThat(ofFirst(model))
        .extracting(request -> request.controls().orElseThrow().start())
        .containsExactly(true, false, false);
    assertThat(ofFirst(model)).allMatch(request -> request.controls().orElseThrow().ready());
    model.assertEchoed(List.of(first, second));
  }

  @Rule("SCHED-COUNT-02")
  void countsARescheduledRequestWhoseSequenceHasEnded() {
    var model = iterative("max_sequence_idle_microseconds: 1000 ", 1);
    var answer = begin(model);
    model.advance(Duration.ofMillis(1));

    model.open();

    assertNeedsStart(model, answer, 1);
    assertOneFailed(model, Reason.OTHER);
    assertThat(model.statistics().success()).isZero();
  }

  @Rule("SCHED-COUNT-02")
  void countsARescheduledRequestThatWasCancelled() {
    var model = iterative(PATIENT, 1);
    begin(model).cancel();

    model.open();

    assertOneFailed(model, Reason.CANCELED);
    assertThat(model.statistics().success()).isZero();
  }

  private static List<ExecutedRequest> ofFirst(GatedModel model) {
    return model.executions().stream()
        .flatMap(execution -> execution.requests().stream())
        .filter(request -> request.id().equals("r1"))
        .toList();
  }

  @Rule("SCHED-45")
  void rejectsReschedulingWhereTheModelIsNotIterative() {
    var model = load(4, "dynamic_batching { }");
    model.gate().reply("r1", Reply.ECHO.afterRescheduling(1));
    var answer = model.submit("r1");

    model.open();

    assertFailed(
        answer.await(),
        StatusCode.INVALID_ARGUMENT,
        "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not"
            + " configured to handle such a flag.");
    assertThat(model.ids()).containsExactly(List.of("r1"));
  }
}
