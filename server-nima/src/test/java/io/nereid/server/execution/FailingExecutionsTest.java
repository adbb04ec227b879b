package io.nereid.server.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.server.request.InferenceResponse;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.RecordedOutcome;
import io.nereid.server.request.ResponsePromise;
import io.nereid.server.request.ResponseReceiver;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses to requests whose model or receiver throws; the instance survives. */
@Timeout(120)
class FailingExecutionsTest extends GroupUnderTest {
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

  @Test
  void respondsInternalIfTheModelThrowsAnythingElse() {
    for (Throwable thrown :
        List.of(new IllegalStateException("bug"), new StackOverflowError("deep"))) {
      thrown.setStackTrace(new StackTraceElement[0]); // it goes to the log of the build
      FakeModel model =
          FakeModel.executing(
              FakeModel.once(results -> {
                results.allocate(0, "OUT", DataType.INT8, Shape.of(1), 1);
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
  void anInstanceSurvivesAReceiverThatThrows() {
    FakeModel model = FakeModel.executing(FakeModel.EMPTY_RESPONSES);
    try (InstanceGroup group = open(model, "m_0")) {
      var broken =
          new PendingRequest(
              new InferenceRequest(
                  new ModelKey("m", 1), "", List.of(), List.of(), RequestOptions.NONE),
              1,
              List.of(pool.lease(1)),
              () -> {},
              new ResponsePromise(
                  new ResponseReceiver() {
                    @Override
                    public void next(InferenceResponse response) {
                      throw new AssertionError("one response is enough");
                    }

                    @Override
                    public void complete() {
                      throw new AssertionError("no response came");
                    }

                    @Override
                    public void answer(InferenceResponse response) {
                      response.close();
                      throw new OutOfMemoryError("no heap to encode it");
                    }

                    @Override
                    public void fail(InferenceException failure) {
                      throw new AssertionError(failure);
                    }
                  }),
              0,
              Long.MAX_VALUE);
      submit(new TestRequest(broken, new RecordedOutcome(), new AtomicInteger()));

      submit().outcome().response().close();
      assertThat(group.isHealthy()).isTrue();
    }
    assertThat(model.closed()).hasValue(1);
  }
}
