package io.nereid.trees.forest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatKeysTest {
  private static final float[] ODD = {
    0f,
    -0f,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    1f,
    -1f,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.NaN
  };

  private static float any(Random random) {
    return random.nextInt(4) == 0
        ? ODD[random.nextInt(ODD.length)]
        : Float.intBitsToFloat(random.nextInt());
  }

  @Test
  void keysAreOrderedAsTheirValues() {
    var random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      float a = any(random);
      float b = any(random);
      if (!Float.isNaN(b)) {
        assertThat(FloatKeys.of(a) < FloatKeys.of(b)).as("%s < %s", a, b).isEqualTo(a < b);
      }
    }
  }

  @Test
  void noValueIsAtMostNaN() {
    for (float value : ODD) {
      assertThat(FloatKeys.of(value)).isGreaterThanOrEqualTo(FloatKeys.boundOfAtMost(Double.NaN));
    }
  }

  @Test
  void boundsOfDoublesDecideAsDoublesDo() {
    var random = new Random(3);
    for (int i = 0; i < 200_000; i++) {
      float value = any(random);
      double threshold = random.nextBoolean() ? near(value, random) : any(random);
      if (Double.isNaN(threshold)) {
        continue;
      }
      int key = FloatKeys.of(value);
      assertThat(key < FloatKeys.boundOfAtMost(threshold))
          .as("%s <= %s", value, threshold)
          .isEqualTo(value <= threshold);
      assertThat(key < FloatKeys.boundOfAtMost(TreeNodes.below(threshold)))
          .as("%s < %s", value, threshold)
          .isEqualTo(value < threshold);
    }
  }

  private static double near(float value, Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Math.nextUp((double) value);
      case 1 -> Math.nextDown((double) value);
      case 2 -> 1e300 * random.nextGaussian();
      default -> value;
    };
  }
}
