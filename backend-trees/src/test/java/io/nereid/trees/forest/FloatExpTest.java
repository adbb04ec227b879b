package io.nereid.trees.forest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatExpTest {
  @Test
  void isTheNearestFloatOrTheOneBesideIt() {
    var random = new Random(1);
    int different = 0;
    int count = 500_000;
    for (int i = 0; i < count; i++) {
      float x = random.nextFloat(-110, 95);
      float nearest = (float) StrictMath.exp(x);
      float actual = FloatExp.exp(x);
      if (actual != nearest) {
        different++;
        assertThat(actual).isBetween(Math.nextDown(nearest), Math.nextUp(nearest));
      }
    }
    assertThat(different).isLessThan(count / 100);
  }

  @Test
  void theEndsAreZeroAndInfinity() {
    assertThat(FloatExp.exp(0)).isEqualTo(1);
    assertThat(FloatExp.exp(-0f)).isEqualTo(1);
    assertThat(FloatExp.exp(Float.NaN)).isNaN();
    assertThat(FloatExp.exp(Float.POSITIVE_INFINITY)).isInfinite();
    assertThat(FloatExp.exp(88.8f)).isInfinite();
    assertThat(FloatExp.exp(88.7f)).isFinite();
    assertThat(FloatExp.exp(Float.NEGATIVE_INFINITY)).isZero();
    assertThat(FloatExp.exp(-104)).isZero();
    assertThat(FloatExp.exp(-103.9f)).isEqualTo(Float.MIN_VALUE);
  }
}
