package io.nereid.tools.data;

import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The elements of tensors as texts: numbers with as many digits as tell them from their neighbours.
 */
final class ElementTexts {
  private ElementTexts() {}

  static String[] of(Tensor tensor) {
    return switch (tensor.dataType()) {
      case FP16, BF16, FP32 -> texts(tensor.floats());
      case FP64 -> texts(Arrays.stream(tensor.doubles()).mapToObj(Double::toString));
      case INT64 -> texts(LongStream.of(tensor.longs()).mapToObj(Long::toString));
      case UINT64 -> texts(LongStream.of(tensor.longs()).mapToObj(Long::toUnsignedString));
      case INT32 -> texts(IntStream.of(tensor.ints()).mapToObj(Integer::toString));
      case UINT32 -> texts(IntStream.of(tensor.ints()).mapToObj(Integer::toUnsignedString));
      case INT16, UINT16 -> texts(tensor.shorts(), tensor.dataType() == DataType.UINT16);
      case INT8, UINT8 -> texts(tensor.byteValues(), tensor.dataType() == DataType.UINT8);
      case BOOL -> texts(tensor.booleans());
      case BYTES -> tensor.strings();
    };
  }

  private static String[] texts(Stream<String> texts) {
    return texts.toArray(String[]::new);
  }

  private static String[] texts(float[] values) {
    return texts(IntStream.range(0, values.length).mapToObj(i -> Float.toString(values[i])));
  }

  private static String[] texts(short[] values, boolean isUnsigned) {
    return texts(
        IntStream.range(0, values.length)
            .map(i -> isUnsigned ? Short.toUnsignedInt(values[i]) : values[i])
            .mapToObj(Integer::toString));
  }

  private static String[] texts(byte[] values, boolean isUnsigned) {
    return texts(
        IntStream.range(0, values.length)
            .map(i -> isUnsigned ? Byte.toUnsignedInt(values[i]) : values[i])
            .mapToObj(Integer::toString));
  }

  private static String[] texts(boolean[] values) {
    return texts(IntStream.range(0, values.length).mapToObj(i -> Boolean.toString(values[i])));
  }
}
