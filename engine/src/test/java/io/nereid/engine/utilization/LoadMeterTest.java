package io.nereid.engine.utilization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.nereid.engine.testing.LogCapture;
import io.nereid.engine.thread.ThreadGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadMeterTest {
  private static final long MILLI = 1_000_000L;

  /** Executes requests of 5 ms each. */
  private static final class FakeVersion implements MeasuredVersion {
    private long requests;
    private int asked;

    @Override
    public Counts counts() {
      return new Counts(requests, 0, 0, requests, requests * 5 * MILLI, 1);
    }

    @Override
    public long waitNanos() {
      asked++;
      return 0;
    }
  }

  private final List<FakeVersion> versions = new ArrayList<>(List.of(new FakeVersion()));
  private long now = 1;
  private Duration cpu = Duration.ZERO;

  /** Its thread does nothing for a day: the test calls {@link LoadMeter#tick}. */
  private final LoadMeter meter =
      new LoadMeter(() -> versions, () -> now, () -> cpu, Duration.ofDays(1));

  @AfterEach
  void close() {
    meter.close();
  }

  /** Half a second in which each version gets so many requests. */
  private void window(int requests) {
    for (int tick = 0; tick < LoadMeter.WINDOW; tick++) {
      now += LoadMeter.TICK.toNanos();
      if (tick == 0) {
        versions.forEach(version -> version.requests += requests);
      }
      meter.tick();
    }
  }

  @Test
  void sumsUpTheModelsOnceAWindowHasPassed() {
    versions.add(new FakeVersion());
    var told = new ArrayList<ServerLoad>();
    meter.add((load, _) -> told.add(load));
    meter.tick();
    for (int tick = 1; tick < LoadMeter.WINDOW; tick++) {
      meter.tick();
    }
    assertThat(told).isEmpty();
    now += Duration.ofMillis(500).toNanos();
    versions.forEach(version -> version.requests += 50);
    cpu = Duration.ofMillis(100);

    meter.tick();

    assertThat(told).hasSize(1);
    ServerLoad load = told.getFirst();
    assertThat(load.requestsPerSecond()).isCloseTo(200, within(1e-3));
    assertThat(load.utilization()).isCloseTo(1, within(1e-6));
    assertThat(load.cpuUtilization())
        .isCloseTo(0.2 / Runtime.getRuntime().availableProcessors(), within(1e-6));
  }

  @Test
  void asksOnlyTheSchedulersOfModelsThatHaveRequests() {
    var idle = new FakeVersion();
    meter.tick();
    window(10);
    versions.add(idle);
    int before = versions.getFirst().asked;

    for (int tick = 1; tick < LoadMeter.WINDOW; tick++) {
      meter.tick();
    }

    assertThat(versions.getFirst().asked - before).isEqualTo(LoadMeter.WINDOW - 1);
    assertThat(idle.asked).isZero();
  }

  @Test
  void measuresNothingBeforeSomeoneAsks() {
    assertThat(meter.isMeasuring()).isFalse();

    assertThat(meter.load()).isEmpty();

    assertThat(meter.isMeasuring()).isTrue();
  }

  @Test
  void endsTenSecondsAfterTheLastQuestionAndBeginsAnew() {
    assertThat(meter.load()).isEmpty();
    now += LoadMeter.IDLE_NANOS;
    meter.tick(); // begins
    meter.tick(); // sees the question
    now += LoadMeter.IDLE_NANOS;
    meter.tick();
    assertThat(meter.isMeasuring()).isTrue();
    now++;
    meter.tick();
    assertThat(meter.isMeasuring()).isFalse();

    assertThat(meter.load()).isEmpty();
    assertThat(meter.isMeasuring()).isTrue();
  }

  @Test
  void goesOnWhileThereIsASubscriber() {
    LoadMeter.Subscriber subscriber = (_, _) -> {};
    meter.add(subscriber);
    for (int i = 0; i < 5; i++) {
      now += 2 * LoadMeter.IDLE_NANOS;
      meter.tick();
    }
    assertThat(meter.isMeasuring()).isTrue();

    meter.remove(subscriber);
    now += 2 * LoadMeter.IDLE_NANOS;
    meter.tick();
    assertThat(meter.isMeasuring()).isFalse();
  }

  @Test
  void measuresNothingBehindItsClose() {
    meter.close();

    assertThat(meter.load()).isEmpty();
    assertThat(meter.isMeasuring()).isFalse();
  }

  @Test
  void goesOnBehindAnErrorOfAModel() throws InterruptedException {
    var readings = new AtomicInteger();
    BlockingQueue<ServerLoad> told = new LinkedBlockingQueue<>();
    try (var log = new LogCapture(ThreadGuard.class.getName());
        var failing =
            new LoadMeter(
                () -> {
                  if (readings.getAndIncrement() == 1) {
                    throw new OutOfMemoryError("of a test");
                  }
                  return versions;
                },
                System::nanoTime,
                () -> cpu,
                LoadMeter.TICK)) {
      failing.add((load, _) -> told.add(load));

      assertThat(told.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(log.messages()).singleElement().asString().startsWith("load meter goes on");
    }
  }
}
