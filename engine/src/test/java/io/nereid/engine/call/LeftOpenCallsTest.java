package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.testing.LogCapture;
import io.nereid.error.StatusCode;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a request has of its calls when it ends: responses, memory, streams, calls that run. */
class LeftOpenCallsTest extends HeldModels {
  @Test
  void aResponseThatIsClosedEarlyGivesItsMemoryBackAtOnce() throws IOException {
    model(
        "outer",
        "inner",
        (batch, results) -> {
          long before = pool.outstanding();
          CallResponse response = batch.calls(0).infer(call("inner", batch).build());
          assertThat(pool.outstanding()).isEqualTo(before + 1);
          response.close();
          response.close();
          assertThat(pool.outstanding()).isEqualTo(before);
          assertThatIllegalStateException()
              .isThrownBy(response::outputs)
              .withMessage("the response of model 'inner:1' is closed");
          assertThatIllegalStateException().isThrownBy(response::keep);
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aResponseThatIsNeverClosedIsClosedWithTheRequest() throws IOException {
    var kept = new AtomicReference<CallResponse>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          kept.set(batch.calls(0).infer(call("inner", batch).build()));
          var _ = batch.calls(0).allocate("inner", 100);
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);

    assertThat(pool.outstanding()).isZero();
    assertThatIllegalStateException().isThrownBy(kept.get()::outputs);
    kept.get().close();
  }

  @Test
  void aResponseThatIsKeptOutlivesTheRequestUntilItIsReleased() throws IOException {
    var release = new AtomicReference<Runnable>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          release.set(batch.calls(0).infer(call("inner", batch).build()).keep());
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();

    assertThat(infer("outer", 1)).containsExactly(2);

    assertThat(pool.outstanding()).isEqualTo(1);
    release.get().run();
    release.get().run();
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void callsThatRunAtTheEndOfTheRequestAreCancelledAndWaitedFor() throws IOException {
    var late = new AtomicReference<CompletableFuture<CallResponse>>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          late.set(batch.calls(0).inferAsync(call("inner", batch).build()));
          begun.await();
          adding(1).execute(batch, results);
        });
    heldUntilCancelled("inner");
    open();

    try (var log = new LogCapture(OpenCalls.class.getName())) {
      assertThat(infer("outer", 1)).containsExactly(2);

      assertThat(log.messages())
          .containsExactly(
              "[request id: r] model 'outer' has answered while 1 of its calls had not ended; they"
                  + " are cancelled");
    }
    assertThat(late.get()).isCompletedExceptionally();
  }

  @Test
  void aStreamThatIsNotClosedEndsWithTheRequest() throws IOException {
    model(
        "outer",
        "counter",
        (batch, results) -> {
          CallResponses responses = batch.calls(0).stream(call("counter", batch).build());
          var _ = responses.next();
          adding(1).execute(batch, results);
        });
    model(
        "counter",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          while (!batch.isCancelled()) {
            adding(0).execute(batch, results);
            results.send(0);
            Thread.sleep(1);
          }
        });
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void aStreamThatIsNotTakenFailsAndHoldsUpNoOther() throws IOException {
    var sent = new CountDownLatch(1);
    model(
        "outer",
        "counter",
        (batch, results) -> {
          try (CallResponses responses = batch.calls(0).stream(call("counter", batch).build())) {
            sent.await();
            for (int i = 0; i < CallResponses.MAX_WAITING; i++) {
              responses.next().orElseThrow().close();
            }
            assertFails(
                StatusCode.RESOURCE_EXHAUSTED,
                "1024 responses of model 'counter' wait to be taken",
                responses::next);
          }
          adding(1).execute(batch, results);
        });
    model(
        "counter",
        "",
        "model_transaction_policy { decoupled: true }",
        (batch, results) -> {
          for (int i = 0; i <= CallResponses.MAX_WAITING; i++) {
            adding(0).execute(batch, results);
            results.send(0);
          }
          sent.countDown();
        });
    open();

    assertThat(infer("outer", 1)).containsExactly(2);
  }

  @Test
  void theCallsOfARequestThatHasEndedAreOfNoUse() throws IOException {
    var kept = new AtomicReference<ModelCalls>();
    var call = new AtomicReference<ModelCall>();
    model(
        "outer",
        "inner",
        (batch, results) -> {
          kept.set(batch.calls(0));
          call.set(call("inner", batch).build());
          adding(1).execute(batch, results);
        });
    model("inner", "", adding(1));
    open();
    infer("outer", 1);

    String message = "model 'outer' used the calls of a request that has ended";
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().infer(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().inferAsync(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().stream(ModelCall.to("inner").build()))
        .withMessage(message);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept.get().allocate("inner", 4))
        .withMessage(message);
  }
}
