package io.nereid.java;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class TensorArraysTest {
  @Test
  void shortsAndBooleansAreTensorsAndBack() {
    Tensor shorts = TensorArrays.of("x", new short[] {1, -2, Short.MIN_VALUE}, 3);
    Tensor flags = TensorArrays.of("f", new boolean[] {true, false}, 1, 2);

    assertThat(shorts.dataType()).isEqualTo(DataType.INT16);
    assertThat(TensorArrays.shorts(shorts)).containsExactly(1, -2, Short.MIN_VALUE);
    assertThat(flags.dataType()).isEqualTo(DataType.BOOL);
    assertThat(flags.shape()).isEqualTo(Shape.of(1, 2));
    assertThat(flags.data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 0);
    assertThat(TensorArrays.booleans(flags)).containsExactly(true, false);
    assertThat(TensorArrays.bytes(flags)).containsExactly(1, 0);
  }

  @Test
  void halvesAreRoundedToTheNearestTiesToEven() {
    float[] values = {0.5f, 65504, 65520, 1 + 0x1p-11f, 1 + 0x3p-11f, Float.NaN};

    assertThat(TensorArrays.floats(TensorArrays.of("x", DataType.FP16, values, 6)))
        .containsExactly(0.5f, 65504, Float.POSITIVE_INFINITY, 1, 1 + 0x1p-9f, Float.NaN);
    float[] wide = {1 + 0x1p-8f, 1 + 0x3p-8f, 3e38f, -Float.MAX_VALUE, Float.NaN};
    assertThat(TensorArrays.floats(TensorArrays.of("x", DataType.BF16, wide, 5)))
        .containsExactly(1, 1 + 0x1p-6f, 0x1.c4p127f, Float.NEGATIVE_INFINITY, Float.NaN);
    assertThat(TensorArrays.of("x", DataType.FP32, values, 6).dataType()).isEqualTo(DataType.FP32);
  }

  @Test
  void anotherTypeIsRefused() {
    assertThatThrownBy(() -> TensorArrays.of("x", DataType.INT8, new float[1], 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tensor 'x' of INT8 is not made of a float[]");
    assertThatThrownBy(() -> TensorArrays.shorts(TensorArrays.of("x", new int[1], 1)))
        .isInstanceOf(InferenceException.class)
        .hasMessage("tensor 'x' has type INT32, not [INT16]");
    assertThatThrownBy(() -> TensorArrays.of("x", new boolean[2], 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tensor 'x' of shape [3] has 3 elements, but the array has 2");
    assertThatThrownBy(() -> TensorArrays.of("x", new boolean[2], -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tensor 'x' has shape [-1], expected dimensions that are not negative");
    assertThatThrownBy(() -> TensorArrays.floats(TensorArrays.of("x", new int[1], 1)))
        .hasMessage("tensor 'x' has type INT32, not [FP32, FP16, BF16]");
  }
}
