package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import java.time.Duration;
import java.util.List;

/**
 * How many requests may wait, and how long. A scheduler may take up to half a second to notice a
 * timeout.
 */
public abstract class QueuePolicyVerification extends SchedulerVerification {
  private static final Duration NOTICE = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofMillis(100);
  private static final String REJECT = policy("timeout_action: REJECT", TIMEOUT);
  private static final String DELAYED = policy("timeout_action: DELAY", TIMEOUT);

  private static String policy(String more, Duration timeout) {
    return "default_queue_policy { %s default_timeout_microseconds: %d }"
        .formatted(more, timeout.toNanos() / 1000);
  }

  private static void assertRejected(TestResponse answer) {
    assertThat(answer.isDone()).as(answer::toString).isTrue();
    assertThat(answer.responses()).isEmpty();
    assertThat(answer.failure().orElseThrow().code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(answer.failure().orElseThrow()).hasMessageContaining("Exceeds maximum queue size");
  }

  private static void assertExpired(TestResponse answer) {
    assertFailed(answer, StatusCode.UNAVAILABLE, "Request timeout expired");
  }

  @Rule("SCHED-27")
  void rejectsRequestsBeyondTheQueueSize() {
    var model = load(8, "dynamic_batching { default_queue_policy { max_queue_size: 8 } }");
    model.block();

    var answers = model.submitAll(1, 1, 1, 1, 1, 1, 1, 1, 1, 1);

    answers.subList(8, 10).forEach(QueuePolicyVerification::assertRejected);
    assertThat(answers.subList(0, 8)).noneMatch(TestResponse::isDone);
    model.open();
    model.assertEchoed(answers.subList(0, 8));
    assertThat(model.ids()).flatMap(ids -> ids).doesNotContain("r9", "r10");
  }

  @Rule("SCHED-28")
  void rejectsARequestThatTimedOutWhileInstancesAreBusy() {
    var model = load(8, "dynamic_batching { " + REJECT + " }");
    model.block();
    var first = model.submit("r1");
    model.advance(TIMEOUT.minus(MOMENT));
    assertThat(first.isDone()).isFalse();
    model.advance(MOMENT.multipliedBy(2).plus(NOTICE));
    assertExpired(first);
    assertThat(model.gate().running()).hasSize(1);

    var second = model.submit("r2");
    model.open();

    model.assertEchoed(List.of(second));
    assertThat(model.ids()).containsExactly(List.of("r2"));
  }

  @Rule("SCHED-29")
  void runsADelayedRequestAfterTheOthers() {
    var model = load(1, "dynamic_batching { " + DELAYED + " }");
    submitTwoBehindALateOne(model);

    model.open();

    assertThat(model.ids()).containsExactly(List.of("r2"), List.of("r3"), List.of("r1"));
    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-29")
  void mergesADelayedRequestBehindTheOthers() {
    var model = load(8, "dynamic_batching { " + DELAYED + " }");
    submitTwoBehindALateOne(model);

    model.open();

    assertThat(model.ids()).containsExactly(List.of("r2", "r3", "r1"));
    model.assertEchoed(model.answers());
  }

  @Rule("SCHED-29")
  void letsADelayedRequestWaitForItsQueueDelay() {
    var model =
        load(8, "dynamic_batching { preferred_batch_size: [ 2 ]" + WITH_DELAY + DELAYED + " }");
    submitTwoBehindALateOne(model);

    model.open();
    assertThat(model.ids()).containsExactly(List.of("r2", "r3"));
    model.advance(DELAY.plus(MOMENT));

    assertThat(model.ids()).containsExactly(List.of("r2", "r3"), List.of("r1"));
    model.assertEchoed(model.answers());
  }

  private static void submitTwoBehindALateOne(GatedModel model) {
    model.block();
    model.submit("r1");
    model.advance(TIMEOUT.plus(MOMENT));
    model.submit("r2");
    model.submit("r3");
  }

  @Rule("SCHED-30")
  void letsARequestShortenItsTimeoutOnly() {
    Duration second = Duration.ofSeconds(1);
    var model = load(8, overridable(policy("allow_timeout_override: true", second)));
    model.block();
    var shorter = model.submit(model.request("shorter", 1).withTimeout(TIMEOUT));
    var longer = model.submit(model.request("longer", 1).withTimeout(Duration.ofSeconds(10)));

    model.advance(TIMEOUT.minus(MOMENT));
    assertThat(shorter.isDone()).isFalse();
    model.advance(MOMENT.multipliedBy(2).plus(NOTICE));
    assertExpired(shorter);
    assertThat(longer.isDone()).isFalse();
    model.advance(second.minus(TIMEOUT).plus(MOMENT));

    assertExpired(longer);
  }

  @Rule("SCHED-30")
  void ignoresARequestsTimeoutWhereTheModelHasNone() {
    assertIgnoresTimeout(
        policy("allow_timeout_override: true", Duration.ZERO), Duration.ofNanos(1000), DELAY);
  }

  @Rule("SCHED-30")
  void ignoresARequestsTimeoutWhereOverridesAreNotAllowed() {
    assertIgnoresTimeout(policy("", Duration.ofSeconds(1)), TIMEOUT, TIMEOUT.multipliedBy(2));
  }

  private void assertIgnoresTimeout(String policy, Duration timeout, Duration later) {
    var model = load(8, overridable(policy));
    model.block();
    var request = model.submit(model.request("r1", 1).withTimeout(timeout));

    model.advance(later);
    assertThat(request.isDone()).isFalse();
    model.open();

    model.assertEchoed(List.of(request));
  }

  private static String overridable(String policy) {
    return "dynamic_batching { " + policy + " }";
  }

  @Rule("SCHED-32")
  void holdsEachLevelToItsOwnPolicy() {
    var model =
        load(
            8,
            "dynamic_batching { priority_levels: 2 default_priority_level: 2"
                + " priority_queue_policy { key: 1 value { max_queue_size: 1 } } }");
    model.block(model.request("", 8).withPriority(1));
    var first = model.submit(model.request("1a", 1).withPriority(1));
    var rejected = model.submit(model.request("1b", 1).withPriority(1));
    var second = model.submit(model.request("2a", 1).withPriority(2));
    var third = model.submit(model.request("2b", 1).withPriority(2));

    assertRejected(rejected);
    model.open();
    model.assertEchoed(List.of(first, second, third));
  }
}
