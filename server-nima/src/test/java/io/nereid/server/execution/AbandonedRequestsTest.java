package io.nereid.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are cancelled or past their deadline before they are executed. */
@Timeout(120)
class AbandonedRequestsTest extends GroupUnderTest {
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
