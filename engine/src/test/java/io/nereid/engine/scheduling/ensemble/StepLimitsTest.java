package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limit {@code max_inflight_requests}: steps that wait, and instances that are held back. */
@Timeout(120)
class StepLimitsTest {
  @Test
  void stepsBeyondALimitWaitAndStartInOrder() {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    Sent sent = fixture.send(fixture.scheduler());

    for (int i = 1; i <= 4; i++) {
      fixture.model("many").send(i);
    }
    fixture.model("many").complete();

    for (int i = 1; i <= 4; i++) {
      assertThat(fixture.model("each").held()).isEqualTo(1);
      assertThat(fixture.model("each").input("I")).containsExactly(i);
      fixture.model("each").answer(10 * i);
    }
    fixture.assertResponses(sent, 10, 20, 30, 40);
  }

  /** Sends 1, 2 and so on as the instance of a decoupled model does, and counts them. */
  private static Thread sender(EnsembleFixture fixture, int count, AtomicInteger sent) {
    ResponsePromise promise = fixture.model("many").first().promise();
    return Thread.ofPlatform()
        .start(() -> {
          for (int i = 1; i <= count; i++) {
            fixture.model("many").send(i);
            sent.incrementAndGet();
            promise.awaitRoom();
          }
        });
  }

  private static void awaitHeldBack(Thread instance) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (instance.getState() != Thread.State.TIMED_WAITING) {
      assertThat(System.nanoTime() - deadline).as("it is %s", instance.getState()).isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void anInstanceThatSendsMoreThanTheLimitIsHeldBack() throws Exception {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    Sent sent = fixture.send(fixture.scheduler());
    var responses = new AtomicInteger();
    Thread instance = sender(fixture, 3, responses);

    awaitHeldBack(instance);
    assertThat(responses).as("one runs, one waits").hasValue(2);
    fixture.model("each").answer(10);
    while (responses.get() < 3) {
      Thread.onSpinWait();
    }
    awaitHeldBack(instance);
    fixture.model("each").answer(20);
    instance.join(30_000);
    assertThat(instance.isAlive()).isFalse();

    fixture.model("many").complete();
    fixture.model("each").answer(30);
    fixture.assertResponses(sent, 10, 20, 30);
  }

  @Test
  void anInstanceThatIsHeldBackContinuesAfterACancellation() throws Exception {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    Sent sent = fixture.send(fixture.scheduler());
    Thread instance = sender(fixture, 3, new AtomicInteger());
    awaitHeldBack(instance);

    sent.promise().cancel();

    instance.join(30_000);
    assertThat(instance.isAlive()).isFalse();
    fixture.model("many").endCancelled();
    fixture.model("each").endCancelled();
    fixture.assertNothingIsLeft();
  }

  @Test
  void anInstanceIsNotHeldBackForAPermitOfItsOwnStep() throws Exception {
    EnsembleFixture fixture =
        new EnsembleFixture("in", "out")
            .decoupledStep("many", "I=in", "O=x")
            .decoupledStep("more", "I=x", "O=y")
            .step("each", "I=y", "O=out")
            .maxInflightRequests(1);
    Sent sent = fixture.send(fixture.scheduler());
    Thread instance = sender(fixture, 3, new AtomicInteger());
    awaitHeldBack(instance); // behind it one request runs, and one waits
    ResponsePromise running = fixture.model("more").first().promise();

    fixture.model("more").send(10); // no request waits for it
    Thread other = Thread.ofPlatform().start(running::awaitRoom);

    other.join(30_000);
    assertThat(other.isAlive()).isFalse();
    sent.promise().cancel();
    instance.join(30_000);
    assertThat(instance.isAlive()).isFalse();
    fixture.model("many").endCancelled();
    fixture.model("more").endCancelled();
    fixture.model("each").endCancelled();
    fixture.assertNothingIsLeft();
  }

  @Test
  void anInstanceIsNotHeldBackForAStepOfItsOwnModel() throws Exception {
    assertNotHeldBack(
        new EnsembleFixture("in", "out")
            .decoupledStep("many", "I=in", "O=x")
            .step("each", "I=x", "O=y")
            .step("many", "I=y", "O=out")
            .maxInflightRequests(1));
  }

  @Test
  void anInstanceIsNotHeldBackWithResourcesThatAStepBehindItMayNeed() throws Exception {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    fixture.model("many").holdResources();
    assertNotHeldBack(fixture);
  }

  private static void assertNotHeldBack(EnsembleFixture fixture) throws InterruptedException {
    Sent sent = fixture.send(fixture.scheduler());
    Thread instance = sender(fixture, 3, new AtomicInteger());

    instance.join(30_000);
    assertThat(instance.isAlive()).isFalse();
    sent.promise().cancel();
    fixture.model("many").endCancelled();
    fixture.model("each").endCancelled();
    fixture.assertNothingIsLeft();
  }

  @Test
  void allRequestsShareALimitAndACancelledOneReleasesItsPermit() {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    EnsembleScheduler scheduler = fixture.scheduler();
    Sent first = fixture.send(scheduler);
    Sent second = fixture.send(scheduler);
    assertThat(fixture.model("many").held()).as("the limit applies to this step, too").isEqualTo(1);

    fixture.model("many").send(1);
    fixture.model("many").send(2);
    first.promise().cancel();
    fixture.model("many").endCancelled();
    fixture.model("each").endCancelled();

    assertThat(fixture.model("each").held()).as("the waiting one was removed").isZero();
    fixture.model("many").send(3);
    fixture.model("many").complete();
    fixture.model("each").answer(30);
    assertThat(second.output("out")).containsExactly(30);
    fixture.assertNothingIsLeft();
  }

  @Test
  void passingOnPermitsDoesNotDeepenTheStack() {
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    fixture
        .model("each")
        .whenSubmitted(each -> {
          if (each.seen().size() > 1) {
            each.answer(1);
          }
        });
    Sent sent = fixture.send(fixture.scheduler());
    for (int i = 0; i < 20_000; i++) {
      fixture.model("many").send(i);
    }
    fixture.model("many").complete();

    fixture.model("each").answer(1);

    assertThat(sent.outcome().earlier()).hasSize(19_999);
    sent.outcome().earlier().forEach(InferenceResponse::close);
    sent.response().close();
    fixture.assertNothingIsLeft();
  }

  /** The time per event must not grow with the number of requests that wait. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void twoHundredThousandRequestsMayWaitForALimit() {
    int count = 200_000;
    EnsembleFixture fixture = EnsembleFixture.pipeline().maxInflightRequests(1);
    FakeCalledModel each = fixture.model("each");
    each.whenSubmitted(model -> {
      if (model.seen().size() > 1) {
        model.complete();
      }
    });
    Sent sent = fixture.send(fixture.scheduler());
    PendingRequest many = fixture.model("many").first();
    for (int i = 0; i < count; i++) {
      many.promise().next(fixture.model("many").withoutMemory(many));
    }
    fixture.model("many").complete();

    each.complete();

    assertThat(each.seen()).hasSize(count);
    assertThat(sent.outcome().calls()).isEqualTo(1);
    fixture.assertNothingIsLeft();
  }
}
