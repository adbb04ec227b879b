package io.nereid.tck.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TestBatchTest {
  private final AtomicInteger actions = new AtomicInteger();

  @Test
  void anActionOnCancellationMayTakeALockThatTheExecutionHolds() throws Exception {
    try (var batch = new TestBatch(ModelConfig.of("m", "b"))) {
      var began = new CountDownLatch(1);
      var unlocked = new CountDownLatch(1); // by the backend's code in execute()
      batch.onCancel(() -> {
        began.countDown();
        await(unlocked);
        actions.incrementAndGet();
      });
      Thread canceller = Thread.ofPlatform().start(batch::cancel);
      await(began);

      var asked = CompletableFuture.supplyAsync(batch::isCancelled);

      try {
        assertThat(asked.get(20, TimeUnit.SECONDS)).isTrue();
      } finally {
        unlocked.countDown();
      }
      batch.end();
      assertThat(actions).hasValue(1);
      canceller.join();
    }
  }

  @Test
  void anActionOnCancellationRunsOnceAndNotBehindTheEnd() {
    try (var batch = new TestBatch(ModelConfig.of("m", "b"))) {
      batch.onCancel(actions::incrementAndGet);
      batch.cancel();
      batch.cancel();
      assertThat(actions).hasValue(1);
    }
    try (var batch = new TestBatch(ModelConfig.of("m", "b"))) {
      batch.onCancel(actions::incrementAndGet);
      batch.end();
      batch.cancel();
      assertThat(actions).hasValue(1);
    }
    try (var batch = new TestBatch(ModelConfig.of("m", "b"))) {
      batch.cancel();
      batch.onCancel(actions::incrementAndGet);
      assertThat(actions).hasValue(2);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }
}
