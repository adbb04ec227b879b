package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SizeClassesTest {
  private static final long SEED = 20261121;

  @Test
  void everySmallSizeFitsIntoItsBlockAndIntoNoSmallerOne() {
    for (long size = 0; size <= 1 << 16; size++) {
      assertFits(size);
    }
  }

  @Test
  void everyLargerSizeFitsToo() {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 100_000; i++) {
      assertFits(random.nextLong(SizeClasses.LARGEST + 1));
    }
    for (int i = 0; i < SizeClasses.count(); i++) {
      long block = SizeClasses.byteSize(i);
      assertFits(block - 1);
      assertFits(block);
      if (block < SizeClasses.LARGEST) {
        assertFits(block + 1);
      }
    }
  }

  @Test
  void atMostAFifthOfABlockIsUnused() {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 100_000; i++) {
      long size = random.nextLong(SizeClasses.SMALLEST + 1, SizeClasses.LARGEST + 1);
      long block = SizeClasses.byteSize(SizeClasses.indexOf(size));
      assertThat(5 * (block - size))
          .as("waste of %d in %d", size, block)
          .isLessThanOrEqualTo(block);
    }
  }

  @Test
  void blocksGrowFromClassToClassAndKeepTheAlignment() {
    for (int i = 0; i < SizeClasses.count(); i++) {
      assertThat(SizeClasses.byteSize(i) % BufferPool.ALIGNMENT).isZero();
      if (i > 0) {
        assertThat(SizeClasses.byteSize(i)).isGreaterThan(SizeClasses.byteSize(i - 1));
      }
    }
    assertThat(SizeClasses.byteSize(0)).isEqualTo(SizeClasses.SMALLEST);
    assertThat(SizeClasses.byteSize(SizeClasses.count() - 1)).isEqualTo(SizeClasses.LARGEST);
  }

  private static void assertFits(long size) {
    int index = SizeClasses.indexOf(size);
    assertThat(SizeClasses.byteSize(index)).as("block for %d", size).isGreaterThanOrEqualTo(size);
    if (index > 0) {
      assertThat(SizeClasses.byteSize(index - 1)).as("next smaller for %d", size).isLessThan(size);
    }
  }
}
