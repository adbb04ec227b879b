package io.nereid.tck.gate;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Adds a state to an input, so that outputs show the state that a request read. */
final class Accumulator {
  private Accumulator() {}

  /**
   * The sum, in the input's shape and on the heap. A state of fewer elements is repeated, so that
   * one that starts as a single zero grows with the first input.
   *
   * @throws IllegalArgumentException unless both are INT32 or both are FP32
   */
  static Tensor sum(Tensor input, Tensor state) {
    DataType type = input.dataType();
    if (type != state.dataType() || (type != DataType.INT32 && type != DataType.FP32)) {
      throw new IllegalArgumentException("a sum of %s and %s".formatted(type, state.dataType()));
    }
    var sum = MemorySegment.ofArray(new byte[Math.toIntExact(input.byteSize())]);
    for (long at = 0; at < sum.byteSize(); at += type.byteSize()) {
      add(type, input.data(), at, state.data(), at % state.byteSize(), sum);
    }
    return new Tensor(input.name(), type, input.shape(), sum);
  }

  private static void add(
      DataType type,
      MemorySegment input,
      long at,
      MemorySegment state,
      long stateAt,
      MemorySegment sum) {
    if (type == DataType.INT32) {
      sum.set(Elements.INT, at, input.get(Elements.INT, at) + state.get(Elements.INT, stateAt));
    } else {
      sum.set(
          Elements.FLOAT, at, input.get(Elements.FLOAT, at) + state.get(Elements.FLOAT, stateAt));
    }
  }
}
