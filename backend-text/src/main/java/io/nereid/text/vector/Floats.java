package io.nereid.text.vector;

import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/**
 * Numbers of a graph's output, or of a file of weights, read as floats.
 *
 * @param data borrowed
 * @param type FP32, FP16 or BF16
 */
public record Floats(MemorySegment data, DataType type) {
  /**
   * Numbers of a type that can be read.
   *
   * @throws InferenceException INVALID_ARGUMENT if they are of another type
   */
  public Floats {
    if (type != DataType.FP32 && type != DataType.FP16 && type != DataType.BF16) {
      throw InferenceException.invalid("must be of FP32, FP16 or BF16, got %s".formatted(type));
    }
  }

  /** Reads a part of them. */
  public void read(long from, float[] target) {
    long at = from * type.byteSize();
    if (type == DataType.FP32) {
      MemorySegment.copy(data, Elements.FLOAT, at, target, 0, target.length);
      return;
    }
    for (int i = 0; i < target.length; i++) {
      short bits = data.get(Elements.SHORT, at + (long) i * Short.BYTES);
      target[i] =
          type == DataType.FP16 ? Float.float16ToFloat(bits) : Float.intBitsToFloat(bits << 16);
    }
  }
}
