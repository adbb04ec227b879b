package io.nereid.tensor;

import java.lang.foreign.MemorySegment;

/**
 * A named tensor in native memory: packed, row-major, little-endian, its first byte aligned to its
 * element's size.
 *
 * <p>A tensor never owns its memory: whoever receives one borrows it until the method that passed
 * it returns, unless that method says otherwise.
 *
 * @param shape concrete, including the batch dimension where the model has one
 * @param data exactly the tensor's bytes; for {@link DataType#BYTES} in the layout of {@link
 *     BytesElements}
 */
public record Tensor(String name, DataType dataType, Shape shape, MemorySegment data) {
  /** Bytes of {@link #data()}. */
  public long byteSize() {
    return data.byteSize();
  }
}
