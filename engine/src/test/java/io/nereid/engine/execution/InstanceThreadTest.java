package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of an instance when something fails that is not the backend. */
@Timeout(60)
class InstanceThreadTest extends GroupUnderTest {
  private final AtomicBoolean isFailing = new AtomicBoolean();

  private static void fail() {
    throw new OutOfMemoryError("of a test");
  }

  /** The time as the instance sees it; fails once if a test wants that. */
  private long failingTime() {
    if (isFailing.compareAndSet(true, false)) {
      fail();
    }
    return 0;
  }

  private void assertServes() {
    submit().outcome().response().close();
  }

  @Test
  void aBatchThatCannotBeBegunFailsAndTheNextOneIsExecuted() {
    try (InstanceGroup _ =
        open(FakeModel.executing(FakeModel.EMPTY_RESPONSES), this::failingTime, "m_0")) {
      isFailing.set(true);

      TestRequest failed = submit();

      assertThat(failed.outcome().failure())
          .hasMessage("'m' failed unexpectedly: java.lang.OutOfMemoryError: of a test");
      assertThat(failed.ended()).hasValue(1);
      assertServes();
    }
  }

  @Test
  void aFailureBehindTheExecutionFailsItsRequestsAndTheNextOneIsExecuted() {
    FakeModel model = FakeModel.executing((_, _, _) -> isFailing.set(true));
    try (InstanceGroup _ = open(model, this::failingTime, "m_0")) {
      TestRequest first = submit();
      TestRequest second = submit();

      assertThat(first.outcome().failure()).hasMessageContaining("of a test");
      assertThat(second.outcome().failure()).hasMessageContaining("of a test");
      assertThat(first.ended()).hasValue(1);
      assertThat(second.ended()).hasValue(1);
    }
  }

  @Test
  void aResponseThatCannotBeDeliveredConcernsNoOther() {
    var told = new AtomicInteger();
    var receiver =
        new ResponseReceiver() {
          @Override
          public void answer(InferenceResponse response) {
            response.close();
            told.incrementAndGet();
            InstanceThreadTest.fail();
          }

          @Override
          public void fail(InferenceException failure) {
            told.incrementAndGet();
          }
        };
    try (InstanceGroup _ = open(FakeModel.executing(FakeModel.EMPTY_RESPONSES), "m_0")) {
      var ended = new CountDownLatch(1);
      submit(TestRequest.pending(pool, "r", ended::countDown, receiver));
      await(ended);
      await(() -> told.get() == 1);
      assertServes();
    }
  }
}
