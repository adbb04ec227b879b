package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeapTrimTest {
  private long millis;
  private int collections;
  private boolean hasGrown;
  private final HeapTrim trim =
      new HeapTrim(
          () -> TimeUnit.MILLISECONDS.toNanos(millis), () -> hasGrown, () -> collections++);

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
  void collectsBetweenWorkWhatHasGrown() {
    assertThat(after(900)).isZero();
    hasGrown = true;
    assertThat(after(900)).isEqualTo(1);
    hasGrown = false;
    assertThat(after(900)).isEqualTo(1);
  }

  /** Before the first collection nothing was left by one. */
  @Test
  void growthIsWhatExceedsTwiceTheRestBy64Mebibytes() {
    long mebibyte = 1 << 20;
    assertThat(HeapTrim.isGrown(64 * mebibyte, 0)).isFalse();
    assertThat(HeapTrim.isGrown(64 * mebibyte + 1, 0)).isTrue();
    assertThat(HeapTrim.isGrown(164 * mebibyte, 50 * mebibyte)).isFalse();
    assertThat(HeapTrim.isGrown(164 * mebibyte + 1, 50 * mebibyte)).isTrue();
  }

  @Test
  void doesNotCollectBetweenWork() {
    for (int i = 0; i < 10; i++) {
      assertThat(after(150)).isZero();
    }
  }
}
