package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestWeightsTest {
  private static int weight(DataType type, Shape shape, int byteSize) {
    var data = MemorySegment.ofArray(new byte[byteSize]);
    var other = new Tensor("mask", DataType.INT64, Shape.of(1, 99), MemorySegment.NULL);
    var request =
        new InferenceRequest(
            new ModelKey("m", 1),
            "",
            List.of(other, new Tensor("ids", type, shape, data)),
            List.of(),
            RequestOptions.NONE);
    return new RequestWeights("ids").of(request);
  }

  @ParameterizedTest
  @CsvSource({"1, 7, 7", "3, 7, 7", "1, 1, 1", "2, 0, 1", "0, 5, 1"})
  void aRowWeighsAsManyElementsAsItHas(long rows, long length, int weight) {
    assertThat(weight(DataType.INT64, Shape.of(rows, length), 0)).isEqualTo(weight);
  }

  @Test
  void countsTheElementsOfAllDimensionsButTheFirst() {
    assertThat(weight(DataType.FP32, Shape.of(2, 100, 80), 0)).isEqualTo(8_000);
  }

  @Test
  void aRowOfTextsWeighsAsManyBytesAsTheyHave() {
    assertThat(weight(DataType.BYTES, Shape.of(1, 1), 4 + 11)).isEqualTo(11);
    assertThat(weight(DataType.BYTES, Shape.of(2, 2), 4 * 4 + 11)).isEqualTo(6);
    assertThat(weight(DataType.BYTES, Shape.of(1, 1), 4)).isEqualTo(1);
  }

  @Test
  void doesNotOverflow() {
    assertThat(weight(DataType.UINT8, Shape.of(1, 1L << 40), 0)).isEqualTo(Integer.MAX_VALUE);
  }
}
