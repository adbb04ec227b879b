package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemClockTest {
  @Test
  void otherAlarmsRunBehindOneThatThrowsAnError() throws InterruptedException {
    var ran = new CountDownLatch(1);
    try (var clock = SystemClock.start();
        Clock.Alarm failing =
            clock.alarm(() -> {
              throw new OutOfMemoryError("of a test");
            });
        Clock.Alarm next = clock.alarm(ran::countDown)) {
      failing.set(clock.nanos());
      next.set(clock.nanos() + 1_000_000);

      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(clock.isWorking()).isTrue();
    }
  }
}
