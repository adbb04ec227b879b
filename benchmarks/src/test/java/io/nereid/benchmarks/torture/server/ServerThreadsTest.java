package io.nereid.benchmarks.torture.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

final class ServerThreadsTest {
  @Test
  void namesThoseThatHaveEnded() {
    var before = new ServerThreads(Map.of("clock", 1, "connect..onitor", 2, "trim", 1));

    assertThat(before.missingFrom(before)).isEmpty();
    assertThat(before.missingFrom(new ServerThreads(Map.of("clock", 2, "connect..onitor", 1))))
        .containsExactly(
            "threads 'connect..onitor': 2 before, 1 afterwards",
            "threads 'trim': 1 before, 0 afterwards");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void countsThoseOfAProcessThatMustNotEnd() throws InterruptedException {
    var running = new CountDownLatch(2);
    var end = new CountDownLatch(1);
    Thread monitor = started("connection monitor", running, end);
    Thread other = started("another", running, end);
    running.await();
    try {
      assertThat(ServerThreads.of(ProcessHandle.current().pid()).counts())
          .anySatisfy((name, count) -> {
            assertThat(name).startsWith("connect");
            assertThat(count).isOne();
          })
          .doesNotContainKey("another");
    } finally {
      end.countDown();
      monitor.join();
      other.join();
    }
  }

  /** The system knows a thread's name only once its work has begun. */
  private static Thread started(String name, CountDownLatch running, CountDownLatch end) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          running.countDown();
          try {
            end.await();
          } catch (InterruptedException _) {
            // the test has ended
          }
        });
  }

  @Test
  void areNoneOfAnUnknownProcess() {
    assertThat(ServerThreads.of(0).counts()).isEmpty();
  }
}
