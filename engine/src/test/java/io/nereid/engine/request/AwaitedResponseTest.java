package io.nereid.engine.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AwaitedResponseTest {
  private static final InferenceResponse RESPONSE =
      new InferenceResponse(new ModelKey("m", 1), "id", Map.of(), List.of(), List.of());

  private final AwaitedResponse awaited = new AwaitedResponse();
  private final ResponsePromise promise = new ResponsePromise(awaited);

  @Test
  void returnsAResponseThatArrivedBeforeTheWait() {
    promise.answer(RESPONSE);

    assertThat(awaited.await(promise, Long.MAX_VALUE)).isSameAs(RESPONSE);
  }

  @Test
  void throwsAFailure() {
    promise.fail(InferenceException.unavailable("full"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> awaited.await(promise, Long.MAX_VALUE))
        .withMessage("full");
  }

  @Test
  void aRequestThatEndsWithoutItsResponseFailsWithTritonsText() {
    promise.complete();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> awaited.await(promise, Long.MAX_VALUE))
        .returns(StatusCode.INTERNAL, InferenceException::code)
        .withMessage("expected a single response, got 0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aResponseWakesAParkedWaiter(boolean virtual) throws Exception {
    var waiting = new Waiting(virtual);
    waiting.awaitParked();

    waiting.promise().answer(RESPONSE);

    assertThat(waiting.result.get(60, TimeUnit.SECONDS)).isSameAs(RESPONSE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInterruptCancelsTheRequestAndKeepsTheInterruptStatus(boolean virtual) throws Exception {
    var waiting = new Waiting(virtual);
    var hook = new CompletableFuture<String>();
    waiting.promise().onCancel(() -> hook.complete("told to stop"));
    waiting.awaitParked();

    waiting.thread.interrupt();

    assertThat(waiting.result.handle((_, thrown) -> thrown).get(60, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED));
    assertThat(waiting.interrupted.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(hook).isCompletedWithValue("told to stop");
  }

  @Test
  void returnsAResponseThatArrivesBeforeTheInterrupt() {
    promise.answer(RESPONSE);
    Thread.currentThread().interrupt();

    assertThat(awaited.await(promise, Long.MAX_VALUE)).isSameAs(RESPONSE);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void ignoresASpuriousUnpark() throws Exception {
    var waiting = new Waiting(false);
    waiting.awaitParked();
    LockSupport.unpark(waiting.thread);
    waiting.promise().answer(RESPONSE);

    assertThat(waiting.result.get(60, TimeUnit.SECONDS)).isSameAs(RESPONSE);
  }

  /** A thread that waits for an outcome. */
  private static final class Waiting {
    final CompletableFuture<InferenceResponse> result = new CompletableFuture<>();
    final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    final Thread thread;
    private final CompletableFuture<ResponsePromise> made = new CompletableFuture<>();

    Waiting(boolean virtual) {
      Runnable run = this::run;
      thread = virtual ? Thread.ofVirtual().start(run) : Thread.ofPlatform().start(run);
    }

    ResponsePromise promise() {
      return made.join();
    }

    /** Returns once the thread parks. */
    void awaitParked() {
      made.join();
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }

    private void run() {
      var awaited = new AwaitedResponse();
      var promise = new ResponsePromise(awaited);
      made.complete(promise);
      try {
        result.complete(awaited.await(promise, Long.MAX_VALUE));
      } catch (InferenceException failure) {
        result.completeExceptionally(failure);
      }
      interrupted.complete(Thread.interrupted());
    }
  }
}
