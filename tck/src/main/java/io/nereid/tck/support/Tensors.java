package io.nereid.tck.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Copies tensors, and compares them: exactly, or for floating-point types as closely as a kernel
 * can promise.
 */
public final class Tensors {
  private static final double RELATIVE = 1e-4;
  private static final double RELATIVE_OF_HALF = 2e-2;

  private Tensors() {}

  /** The output of that name. */
  public static Tensor named(Outcome.Outputs outputs, String name) {
    Tensor found = outputs.tensors().get(name);
    if (found == null) {
      throw new AssertionError("no output '%s' in %s".formatted(name, outputs.tensors().keySet()));
    }
    return found;
  }

  /** A copy on the heap. */
  public static Tensor copy(Tensor tensor) {
    var data = MemorySegment.ofArray(new byte[Math.toIntExact(tensor.byteSize())]);
    Elements.copy(tensor.data(), data);
    return new Tensor(tensor.name(), tensor.dataType(), tensor.shape(), data);
  }

  /** Two responses have the same outputs. */
  public static void assertSame(Outcome.Outputs actual, Outcome.Outputs expected) {
    assertThat(actual.tensors().keySet()).isEqualTo(expected.tensors().keySet());
    actual.tensors().forEach((name, tensor) -> assertSame(tensor, named(expected, name)));
  }

  /** Two tensors have the same type, shape and values. */
  public static void assertSame(Tensor actual, Tensor expected) {
    assertThat(actual.dataType()).isEqualTo(expected.dataType());
    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.byteSize()).isEqualTo(expected.byteSize());
    switch (actual.dataType()) {
      case FP16, BF16, FP32, FP64 -> assertClose(actual, expected);
      case BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, BYTES ->
          assertThat(actual.data().mismatch(expected.data()))
              .as("offset of the first byte of '%s' that differs", actual.name())
              .isEqualTo(-1);
    }
  }

  private static void assertClose(Tensor actual, Tensor expected) {
    DataType type = actual.dataType();
    double relative = type.byteSize() == Short.BYTES ? RELATIVE_OF_HALF : RELATIVE;
    for (long at = 0; at < actual.byteSize(); at += type.byteSize()) {
      double wanted = value(type, expected.data(), at);
      double found = value(type, actual.data(), at);
      if (!isClose(found, wanted, relative)) {
        throw new AssertionError(
            "'%s' is %s at byte %d, expected %s".formatted(actual.name(), found, at, wanted));
      }
    }
  }

  /** Whether two values are close, or both infinite alike, or both no numbers. */
  private static boolean isClose(double found, double wanted, double relative) {
    return found == wanted
        || (Double.isNaN(found) && Double.isNaN(wanted))
        || (Double.isFinite(wanted)
            && Math.abs(found - wanted) <= relative * Math.max(1, Math.abs(wanted)));
  }

  private static double value(DataType type, MemorySegment data, long at) {
    return switch (type) {
      case FP16 -> Float.float16ToFloat(data.get(Elements.SHORT, at));
      case BF16 -> Float.intBitsToFloat(data.get(Elements.SHORT, at) << 16);
      case FP32 -> data.get(Elements.FLOAT, at);
      case FP64 -> data.get(Elements.DOUBLE, at);
      case BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, BYTES ->
          throw new IllegalArgumentException(type + " is compared exactly");
    };
  }
}
