package io.nereid.benchmarks.torture.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
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
    Thread monitor =
        Thread.ofPlatform().daemon().name("connection monitor").start(LockSupport::park);
    Thread other = Thread.ofPlatform().daemon().name("another").start(LockSupport::park);
    try {
      assertThat(ServerThreads.of(ProcessHandle.current().pid()).counts())
          .anySatisfy((name, count) -> {
            assertThat(name).startsWith("connect");
            assertThat(count).isOne();
          })
          .doesNotContainKey("another");
    } finally {
      LockSupport.unpark(monitor);
      LockSupport.unpark(other);
      monitor.join();
      other.join();
    }
  }

  @Test
  void areNoneOfAnUnknownProcess() {
    assertThat(ServerThreads.of(0).counts()).isEmpty();
  }
}
