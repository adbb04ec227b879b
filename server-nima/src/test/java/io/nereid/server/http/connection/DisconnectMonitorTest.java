package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DisconnectMonitorTest {
  @Test
  void goesOnBehindAnErrorAndLogsItOnce() throws InterruptedException {
    var checks = new AtomicInteger();
    var checkedAgain = new CountDownLatch(1);
    try (var log = new LogCapture("io.nereid");
        var monitor = new DisconnectMonitor()) {
      monitor.start(() -> {
        if (checks.incrementAndGet() <= 2) {
          throw new OutOfMemoryError("of a test");
        }
        checkedAgain.countDown();
      });

      assertThat(checkedAgain.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(log.messages())
          .containsExactly(
              "connection monitor goes on after a failure; so far 1. This is logged once a minute"
                  + " at most.");
    }
  }
}
