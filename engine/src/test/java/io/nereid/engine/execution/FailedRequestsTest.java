package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that fail: cancelled or late ones, and those whose model or receiver throws. */
@Timeout(120)
class FailedRequestsTest extends GroupUnderTest {
  @Test
  void respondsWithTheModelsOwnFailure() {
    FakeModel model =
        FakeModel.executing(
            FakeModel.once(_ -> {
              throw InferenceException.unavailable("out of device memory");
            }));
    try (InstanceGroup _ = open(model, "m_0")) {
      InferenceException failure = submit().outcome().failure();

      assertThat(failure).hasMessage("out of device memory");
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    }
  }

  /** Its client is not to send it again, since it has run. */
  @Test
  void aModelsOwnFailureSaysNoTimeToComeAgain() {
    FakeModel model =
        FakeModel.executing(
            FakeModel.once(_ -> {
              throw InferenceException.exhausted("no room for the outputs");
            }));
    try (InstanceGroup _ = open(model, "m_0")) {
      InferenceException failure = submit().outcome().failure();

      assertThat(failure).hasMessage("no room for the outputs");
      assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
      assertThat(failure.retryAfter()).isEmpty();
    }
  }

  @Test
  void respondsInternalIfTheModelThrowsAnythingElse() {
    for (Throwable thrown :
        List.of(new IllegalStateException("bug"), new StackOverflowError("deep"))) {
      thrown.setStackTrace(new StackTraceElement[0]); // it goes to the log of the build
      FakeModel model =
          FakeModel.executing(
              FakeModel.once(results -> {
                if (thrown instanceof Error error) {
                  throw error;
                }
                throw (RuntimeException) thrown;
              }));
      try (InstanceGroup _ = open(model, "m_0")) {
        InferenceException failure = submit().outcome().failure();
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure).hasMessage("'m' failed unexpectedly: " + thrown);

        submit().outcome().response().close();
      }
    }
  }

  @Test
  void theLogHasTheIdsOfTheRequestsOfAnUnexpectedlyFailedBatch() {
    FakeModel model =
        FakeModel.executing((_, _, _) -> {
          throw new IllegalStateException("bug");
        });
    List<TestRequest> requests =
        IntStream.range(0, 18).mapToObj(i -> TestRequest.of(pool, "r" + i, 1)).toList();
    var shared =
        GroupSettings.of(
            ExecutedModels.of(ModelConfig.of("m", "b"), model, pool, clock::nanos, statistics));
    try (var log = new LogCapture(BatchExecutions.class.getName());
        InstanceGroup group = openDriven(shared, FakeModel.instance("m_0", false))) {
      requests.forEach(request -> group.instance(0).batch().add(request.pending()));
      group.instance(0).dispatch();
      requests.forEach(request -> request.outcome().failure());

      String message = log.records().getFirst().getMessage();
      assertThat(message)
          .startsWith("[request id: r0] [request id: r1] ")
          .endsWith("[request id: r15] and 2 more: 'm' failed unexpectedly");
    }
  }

  @Test
  void anInstanceSurvivesAReceiverThatThrows() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (var log = new LogCapture("io.nereid.engine.execution.batch.ResponseSender");
        InstanceGroup group = open(model, "m_0")) {
      PendingRequest broken =
          TestRequest.pending(
              pool,
              "broken",
              () -> {},
              new ResponseReceiver() {
                @Override
                public void answer(InferenceResponse response) {
                  response.close();
                  throw new OutOfMemoryError("no heap to encode it");
                }

                @Override
                public void fail(InferenceException failure) {
                  throw new AssertionError(failure);
                }
              });
      submit(new TestRequest(broken, new RecordedOutcome(), new AtomicInteger()));

      submit().outcome().response().close();
      assertThat(group.isHealthy()).isTrue();
      assertThat(log.records())
          .extracting(LogRecord::getMessage)
          .containsExactly("[request id: broken] a response was not delivered");
    }
    assertThat(model.closed()).hasValue(1);
  }

  @Test
  void aCancelledRequestIsNotExecuted() {
    var gate = new CountDownLatch(1);
    var entered = new CountDownLatch(1);
    FakeModel model =
        FakeModel.executing(
            FakeModel.once(_ -> {
              entered.countDown();
              await(gate);
            }));
    try (InstanceGroup _ = open(model, "m_0")) {
      TestRequest plug = submit();
      await(entered);
      TestRequest cancelled = submit();
      TestRequest last = submit();
      cancelled.pending().promise().cancel();
      assertThat(cancelled.outcome().failure().code()).isEqualTo(StatusCode.CANCELLED);
      assertThat(cancelled.ended()).hasValue(1);

      gate.countDown();

      plug.outcome().response().close();
      last.outcome().response().close();
      assertThat(model.executions()).hasValue(2);
    }
  }

  @Test
  void aRequestWhoseDeadlinePassesAfterDispatchIsNotExecuted() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup _ = open(model, () -> clock.nanos() + 1_000, "m_0")) {
      TestRequest late = submit(TestRequest.dueBy(pool, clock.nanos() + 1_000));
      assertThat(late.outcome().failure().code()).isEqualTo(StatusCode.CANCELLED);
      assertThat(late.ended()).hasValue(1);
      assertThat(model.executions()).hasValue(0);
    }
  }

  @Test
  void aRequestIsExecutedUntilItsDeadline() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup _ = open(model, "m_0")) {
      TestRequest due = submit(TestRequest.dueBy(pool, clock.nanos() + 1));
      due.outcome().response().close();
      assertThat(model.executions()).hasValue(1);
    }
  }
}
