package io.nereid.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadGuardTest {
  private final ThreadGuard guard = new ThreadGuard("test");

  private static void fail() {
    throw new StackOverflowError("of a test");
  }

  @Test
  void logsTheFirstOfManyFailures() {
    try (var log = new LogCapture(ThreadGuard.class.getName())) {
      for (int i = 0; i < 5; i++) {
        assertThat(guard.run(ThreadGuardTest::fail)).isFalse();
      }
      assertThat(guard.allFailures).hasValue(5);
      assertThat(log.records())
          .singleElement()
          .satisfies(record -> {
            assertThat(record.getMessage()).startsWith("test goes on after a failure; so far 1.");
            assertThat(record.getThrown()).isInstanceOf(StackOverflowError.class);
          });
    }
  }

  @Test
  void workThatFailsAgainAndAgainDoesNotGetDoneUntilItSucceeds() {
    assertThat(guard.runUntilDone(ThreadGuardTest::fail)).isFalse();
    assertThat(guard.isWorking()).isFalse();

    assertThat(guard.run(() -> {})).isTrue();
    assertThat(guard.isWorking()).isTrue();
  }

  @Test
  void workIsDoneAgainUntilItSucceeds() {
    var runs = new AtomicInteger();
    boolean isDone =
        guard.runUntilDone(() -> {
          if (runs.incrementAndGet() < 3) {
            fail();
          }
        });

    assertThat(isDone).isTrue();
    assertThat(runs).hasValue(3);
  }

  @Test
  void aThreadRunsItsWorkAgainBehindAnErrorUntilItIsClosed() throws InterruptedException {
    var runs = new AtomicInteger();
    var ranAgain = new CountDownLatch(1);
    var runner =
        IntervalRunner.start(
            "test",
            Duration.ofMillis(1),
            () -> {
              if (runs.incrementAndGet() == 1) {
                fail();
              }
              ranAgain.countDown();
            });

    assertThat(ranAgain.await(30, TimeUnit.SECONDS)).isTrue();
    runner.close();
    int before = runs.get();
    assertThat(runs).hasValue(before);
  }
}
