package io.nereid.engine.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ResponsePromiseTest {
  private final RecordedOutcome receiver = new RecordedOutcome();
  private final ResponsePromise promise = new ResponsePromise(receiver);
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger hook = new AtomicInteger();

  private InferenceResponse response() {
    return response(closed);
  }

  private static InferenceResponse response(AtomicInteger closed) {
    return new InferenceResponse(
        new ModelKey("m", 1), "", Map.of(), List.of(), List.of(closed::incrementAndGet));
  }

  @Test
  void passesAResponseToTheReceiver() {
    promise.answer(response());

    assertThat(promise.isDecided()).isTrue();
    assertThat(closed).hasValue(0);
    receiver.response().close();
    assertThat(closed).hasValue(1);
  }

  @Test
  void closesASecondResponseAndIgnoresALateFailure() {
    promise.answer(response());
    promise.answer(response());
    promise.fail(InferenceException.internal("late"));
    promise.cancel();

    assertThat(receiver.calls()).isEqualTo(1);
    assertThat(closed).hasValue(1);
  }

  @Test
  void aCancellationFailsTheRequestAndRunsTheHookOnce() {
    promise.onCancel(hook::incrementAndGet);
    assertThat(promise.isDecided()).isFalse();

    promise.cancel();
    promise.cancel();

    assertThat(receiver.failure().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(receiver.calls()).isEqualTo(1);
    assertThat(hook).hasValue(1);
  }

  @Test
  void aResponseDoesNotRunTheHook() {
    promise.onCancel(hook::incrementAndGet);
    promise.answer(response());
    promise.cancel();

    assertThat(hook).hasValue(0);
  }

  @Test
  void aHookAddedAfterTheOutcomeRunsAtOnce() {
    promise.cancel();
    promise.onCancel(hook::incrementAndGet);

    assertThat(hook).hasValue(1);
  }

  @Test
  void exactlyOneOfSeveralConcurrentOutcomesWins() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int round = 0; round < 2000; round++) {
        race(threads);
      }
    }
  }

  private static void race(ExecutorService threads) throws Exception {
    var receiver = new RecordedOutcome();
    var promise = new ResponsePromise(receiver);
    var closed = new AtomicInteger();
    var hook = new AtomicInteger();
    var start = new CyclicBarrier(4);
    List<Runnable> outcomes =
        List.of(
            () -> promise.answer(response(closed)),
            () -> promise.fail(InferenceException.internal("failed")),
            promise::cancel,
            () -> promise.onCancel(hook::incrementAndGet));
    List<Future<?>> racing = new ArrayList<>();
    for (Runnable outcome : outcomes) {
      racing.add(
          threads.submit(() -> {
            start.await();
            outcome.run();
            return null;
          }));
    }
    for (Future<?> each : racing) {
      each.get();
    }
    assertThat(receiver.calls()).isEqualTo(1);
    // The receiver does not close the response here: it is closed just when it has lost.
    if (closed.get() == 0) {
      assertThat(receiver.response()).isNotNull();
    } else {
      assertThat(closed).hasValue(1);
      if (receiver.failure().code() == StatusCode.CANCELLED) {
        assertThat(hook).hasValue(1);
      }
    }
    assertThat(hook.get()).isLessThanOrEqualTo(1);
  }
}
