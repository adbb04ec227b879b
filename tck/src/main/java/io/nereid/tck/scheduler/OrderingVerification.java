package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import io.nereid.tck.gate.Reply;
import java.time.Duration;
import java.util.List;

/** Models with {@code preserve_ordering}: responses are sent in the order of the requests. */
public abstract class OrderingVerification extends SchedulerVerification {
  private static final String ORDERED =
      "dynamic_batching { preserve_ordering: true }\n" + TWO_INSTANCES;

  /**
   * Submits {@code r1} and {@code r2}, one to each instance, and has {@code r2} end first: both
   * wait.
   */
  private static List<TestResponse> finishTheSecondFirst(GatedModel model) {
    var first = model.submit("r1");
    model.gate().awaitBegun(1);
    var second = model.submit("r2");
    var begun = model.gate().awaitBegun(2);
    model.gate().open(begun.getLast().instance(), 1);
    model.gate().awaitEnded(1);
    model.settle();
    assertThat(List.of(first, second)).noneMatch(TestResponse::isDone);
    return List.of(first, second);
  }

  private static void assertInOrder(List<TestResponse> answers) {
    answers.forEach(TestResponse::await);
    for (int i = 1; i < answers.size(); i++) {
      assertThat(answers.get(i - 1).isBefore(answers.get(i))).as("%s", answers).isTrue();
    }
  }

  @Rule("SCHED-33")
  void keepsAnAnswerUntilTheOneBeforeHasLeft() {
    var model = load(8, ORDERED);

    var answers = finishTheSecondFirst(model);

    assertThat(answers.getLast().responses()).isEmpty();
    model.open();
    assertInOrder(answers);
    model.assertEchoed(answers);
  }

  @Rule("SCHED-33")
  void keepsTheOrderWhenARequestFails() {
    var model = load(8, ORDERED);
    model.gate().reply("r1", Reply.failure(InferenceException.invalid("as it was told")));

    var answers = finishTheSecondFirst(model);

    model.open();
    assertInOrder(answers);
    assertThat(answers.getFirst().failure().orElseThrow()).hasMessage("as it was told");
    model.assertEchoed(answers.subList(1, 2));
  }

  @Rule("SCHED-33")
  void keepsTheOrderWhenARequestGetsNoResponse() {
    var model = load(8, ORDERED + DECOUPLED);
    model.gate().reply("r1", Reply.responses(0));
    model.gate().reply("r2", Reply.responses(2));

    var answers = finishTheSecondFirst(model);

    assertThat(answers.getLast().responses()).isEmpty();
    model.open();
    assertInOrder(answers);
    assertThat(answers.getFirst().responses()).isEmpty();
    assertThat(answers.getLast().responses()).hasSize(2);
  }

  @Rule("SCHED-33")
  void failsARejectedRequestAtOnceAndDelaysNoOther() {
    var timeout = " default_queue_policy { default_timeout_microseconds: 100000 } }\n";
    var model = load(8, "dynamic_batching { preserve_ordering: true" + timeout + TWO_INSTANCES);
    var blockers = List.of(model.block(), model.block());
    var rejected = model.submit("r0");
    model.advance(Duration.ofSeconds(1));

    assertThat(rejected.isDone()).isTrue();
    assertThat(rejected.failure().orElseThrow().code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(blockers).noneMatch(TestResponse::isDone);
    var next = model.submit("r1");
    model.open();
    assertInOrder(List.of(blockers.getFirst(), blockers.getLast(), next));
    model.assertEchoed(List.of(next));
  }
}
