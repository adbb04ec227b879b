package io.nereid.benchmarks.load.preset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An input with the baseline's values: element k is k in an INT32 tensor and (k mod 256) / 255 in
 * an FP32 tensor.
 *
 * @param shape includes the batch dimension
 */
record RampTensor(String name, Type type, List<Long> shape) {
  enum Type {
    INT32,
    FP32
  }

  private static final int PERIOD = 256;
  private static final float TOP = 255;

  RampTensor {
    shape = List.copyOf(shape);
  }

  static RampTensor of(String name, Type type, Long... shape) {
    return new RampTensor(name, type, List.of(shape));
  }

  /** The elements, little-endian. */
  byte[] bytes() {
    var buffer = ByteBuffer.allocate(count() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < count(); k++) {
      switch (type) {
        case INT32 -> buffer.putInt(k);
        case FP32 -> buffer.putFloat(k % PERIOD / TOP);
      }
    }
    return buffer.array();
  }

  /** The elements as JSON numbers, separated by commas; FP32 with six decimals. */
  String numbers() {
    return IntStream.range(0, count())
        .mapToObj(k ->
            switch (type) {
              case INT32 -> Integer.toString(k);
              case FP32 -> String.format(Locale.ROOT, "%.6f", k % PERIOD / (double) TOP);
            })
        .collect(Collectors.joining(","));
  }

  /** The dimensions, separated by commas. */
  String dimensions() {
    return shape.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private int count() {
    return Math.toIntExact(shape.stream().reduce(1L, Math::multiplyExact));
  }
}
