package io.nereid.tensor;

import java.lang.foreign.MemorySegment;

/**
 * A named tensor in native memory: packed, row-major, little-endian, and aligned to its element
 * size.
 *
 * <p>A tensor does not own its memory. A method that receives a tensor borrows it until it returns,
 * unless its documentation says otherwise.
 *
 * @param shape concrete, including the batch dimension where the model has one
 * @param data exactly the tensor's bytes; {@link DataType#BYTES} in the layout of {@link
 *     BytesElements}
 */
public record Tensor(String name, DataType dataType, Shape shape, MemorySegment data) {
  /** The same data under another name, such as an output as an input of the next model. */
  public Tensor named(String newName) {
    return new Tensor(newName, dataType, shape, data);
  }

  /** Size of {@link #data()} in bytes. */
  public long byteSize() {
    return data.byteSize();
  }
}
