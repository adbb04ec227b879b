package io.nereid.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Models that call each other, of which some execute until the test lets them end. */
abstract class HeldModels extends CallingModels {
  /** A held model executes. */
  final CountDownLatch begun = new CountDownLatch(1);

  final CountDownLatch gate = new CountDownLatch(1);
  final CompletableFuture<Boolean> toldOfCancellation = new CompletableFuture<>();

  /** Executes until it is cancelled. */
  void heldUntilCancelled(String name) {
    model(
        name,
        "",
        (batch, results) -> {
          batch.onCancel(() -> toldOfCancellation.complete(true));
          begun.countDown();
          assertThat(toldOfCancellation.join()).isTrue();
          adding(1).execute(batch, results);
        });
  }

  /** Executes, cancelled or not, until the gate is open. */
  void heldAtTheGate(String name) {
    model(
        name,
        "",
        (batch, results) -> {
          begun.countDown();
          gate.await();
          adding(1).execute(batch, results);
        });
  }

  /** What a model has seen while it was executed. */
  static <T> T seen(CompletableFuture<T> future) {
    return future.orTimeout(1, TimeUnit.MINUTES).join();
  }
}
