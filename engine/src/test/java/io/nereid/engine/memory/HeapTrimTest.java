package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeapTrimTest {
  private long millis;
  private int collections;
  private final HeapTrim trim =
      new HeapTrim(() -> TimeUnit.MILLISECONDS.toNanos(millis), () -> collections++);

  /** A look at the process after it has used processor time. */
  private int after(long processorMillis) {
    millis += processorMillis;
    trim.run();
    return collections;
  }

  @Test
  void collectsOnceWhileTheProcessIsIdle() {
    assertThat(after(900)).isZero();
    assertThat(after(20)).isEqualTo(1);
    assertThat(after(20)).isEqualTo(1);
    assertThat(after(0)).isEqualTo(1);
  }

  @Test
  void collectsAgainAfterWork() {
    after(0);
    assertThat(after(0)).isEqualTo(1);
    assertThat(after(150)).isEqualTo(1);
    assertThat(after(149)).isEqualTo(2);
  }

  @Test
  void doesNotCollectBetweenWork() {
    for (int i = 0; i < 10; i++) {
      assertThat(after(150)).isZero();
    }
  }
}
