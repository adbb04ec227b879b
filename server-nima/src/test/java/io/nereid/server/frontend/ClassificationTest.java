package io.nereid.server.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassificationTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();

  @AfterEach
  void allLeasesAreReleased() {
    assertThat(pool.outstanding()).isZero();
  }

  private static Tensor floats(Shape shape, float... values) {
    return new Tensor("X", DataType.FP32, shape, MemorySegment.ofArray(values));
  }

  private List<String> classes(
      Tensor output, long count, boolean batches, Shape shape, String... labels) {
    List<byte[]> lines = Stream.of(labels).map(label -> label.getBytes(UTF_8)).toList();
    try (var classes = Classification.of(output, count, batches, lines, pool)) {
      Tensor tensor = classes.tensor();
      assertThat(tensor.shape()).isEqualTo(shape);
      assertThat(tensor.dataType()).isEqualTo(DataType.BYTES);
      assertThat(tensor.name()).isEqualTo("X");
      return Tensors.texts(tensor);
    }
  }

  @Test
  void ranksEachItemOfABatch() {
    Tensor output = floats(Shape.of(2, 3), 0.1f, 3, -2, 5, 5, 7.5f);

    assertThat(classes(output, 2, true, Shape.of(2, 2), "cat", "", "dög"))
        .containsExactly("3.000000:1", "0.100000:0:cat", "7.500000:2:dög", "5.000000:0:cat");
  }

  @Test
  void ranksAllElementsOfAModelThatDoesNotBatchAndClipsTheCount() {
    assertThat(classes(floats(Shape.of(2, 2), 1, 4, 2, 3), 9, false, Shape.of(4), "a"))
        .containsExactly("4.000000:1", "3.000000:3", "2.000000:2", "1.000000:0:a");
  }

  @Test
  void formatsValuesAsCDoes() {
    assertThat(
            classes(
                floats(Shape.of(6), Float.NaN, -0.0f, 4.9e-7f, Float.POSITIVE_INFINITY, 0, -1e-9f),
                6,
                false,
                Shape.of(6)))
        .containsExactly(
            "inf:3", "0.000000:2", "-0.000000:1", "0.000000:4", "-0.000000:5", "nan:0");
  }

  @Test
  void comparesUnsignedIntegersAsSuch() {
    var output =
        new Tensor("X", DataType.UINT64, Shape.of(2), MemorySegment.ofArray(new long[] {5, -1}));

    assertThat(classes(output, 2, false, Shape.of(2)))
        .containsExactly("18446744073709551615:1", "5:0");
  }

  @Test
  void classifiesAnEmptyBatch() {
    assertThat(classes(floats(Shape.of(0, 3)), 2, true, Shape.of(0, 2))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"BOOL", "BYTES", "FP16", "BF16"})
  void rejectsTypesWithoutOrder(DataType dataType) {
    var empty = new Tensor("X", dataType, Shape.of(0), MemorySegment.NULL);
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "class result not available for output due to unsupported type '%s'".formatted(dataType),
        () -> classes(empty, 1, false, Shape.of()));
  }

  @Test
  void rejectsItemsOfMoreThanAMillionElements() {
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "classification output tensor too large",
        () -> classes(floats(Shape.of(1, 1_000_001)), 1, true, Shape.of()));
  }

  @Test
  void ranksAMillionClassesInTimeThatIsAlmostProportionalWithoutTheHeap() {
    int count = 1_000_000;
    float[] values = new float[count];
    var random = new Random(7);
    for (int i = 0; i < count; i++) {
      values[i] = random.nextInt(1000) / 8f; // many are equal
    }
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try (var classes =
        Classification.of(floats(Shape.of(count), values), count, false, List.of(), pool)) {
      assertThat(threads.getCurrentThreadAllocatedBytes() - before)
          .isLessThan(8 << 20); // of 57 MB of text
      float last = Float.POSITIVE_INFINITY;
      int lastIndex = -1;
      for (String text : Tensors.texts(classes.tensor())) {
        int colon = text.indexOf(':');
        float value = Float.parseFloat(text.substring(0, colon));
        int index = Integer.parseInt(text.substring(colon + 1));
        assertThat(value < last || (value == last && index > lastIndex)).isTrue();
        assertThat(value).isEqualTo(values[index]);
        last = value;
        lastIndex = index;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 52, 64, 74, 84, 1100})
  void writesSixDecimalsOfTheExactValue(int shift) {
    var random = new Random(shift);
    var sink = new ByteSink(16);
    for (int i = 0; i < 2000; i++) {
      long digits = random.nextLong() >>> (11 + random.nextInt(53));
      double value = Math.scalb((double) digits, -Math.max(0, shift - random.nextInt(20)));
      sink.clear();
      SixDecimals.put(sink, value);
      assertThat(sink.toString())
          .as("%a", value)
          .isEqualTo(new BigDecimal(value).setScale(6, RoundingMode.HALF_EVEN).toPlainString());
    }
  }

  @Test
  void writesTiesToEvenAndValuesBeyondALong() {
    for (double value :
        new double[] {
          0.0000005,
          0.0000015,
          1.5 / (1 << 20),
          0.5 + 1 / 2097152d,
          999999.9999999,
          0x1p62,
          0x1p63,
          1e300,
          4.9e-324
        }) {
      var sink = new ByteSink(16);
      SixDecimals.put(sink, value);
      assertThat(sink.toString())
          .isEqualTo(new BigDecimal(value).setScale(6, RoundingMode.HALF_EVEN).toPlainString());
    }
  }
}
