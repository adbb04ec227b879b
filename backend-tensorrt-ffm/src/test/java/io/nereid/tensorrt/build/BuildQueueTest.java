package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BuildQueueTest {
  private final BuildQueue queue = new BuildQueue();

  @Test
  void differentPlansOnDifferentDevicesAreBuiltAtTheSameTime() {
    try (var _ = queue.acquire("a", 0);
        var _ = queue.acquire("b", 1)) {
      assertThat(queue.isCancelled()).isFalse();
    }
  }

  @Test
  void aSecondBuildOnADeviceWaitsForTheFirst() {
    assertWaits("b", 0);
  }

  @Test
  void aSecondBuildOfAPlanWaitsForTheFirstOnAnotherDevice() {
    assertWaits("a", 1);
  }

  private void assertWaits(String plan, int device) {
    var acquired = new CompletableFuture<Boolean>();
    Thread second;
    try (var _ = queue.acquire("a", 0)) {
      second =
          Thread.ofPlatform()
              .start(() -> {
                try (var _ = queue.acquire(plan, device)) {
                  acquired.complete(true);
                }
              });
      awaitWaiting(second);
      assertThat(acquired).isNotDone();
    }
    assertThat(acquired.join()).isTrue();
  }

  @Test
  void cancellingRejectsWhatWaitsAndWhatComesLater() {
    var failure = new CompletableFuture<InferenceException>();
    try (var _ = queue.acquire("a", 0)) {
      Thread second = startFailing(failure);

      queue.cancel();

      assertThat(failure.join().code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(second).isNotNull();
      assertThat(queue.isCancelled()).isTrue();
    }
    assertThatThrownBy(() -> queue.acquire("b", 1)).hasMessage("Server exiting");
  }

  @Test
  void anInterruptEndsTheWait() {
    var failure = new CompletableFuture<InferenceException>();
    try (var _ = queue.acquire("a", 0)) {
      startFailing(failure).interrupt();

      assertThat(failure.join().code()).isEqualTo(StatusCode.CANCELLED);
    }
  }

  private Thread startFailing(CompletableFuture<InferenceException> failure) {
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try (var _ = queue.acquire("a", 0)) {
                failure.completeExceptionally(new AssertionError("acquired"));
              } catch (InferenceException expected) {
                failure.complete(expected);
              }
            });
    awaitWaiting(thread);
    return thread;
  }

  private static void awaitWaiting(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }
}
