package io.nereid.tools.data;

import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Tensors whose first dimension counts rows: parts of them, and what they are parts of. */
public final class TensorRows {
  private TensorRows() {}

  /** The rows from {@code from} to before {@code to}; those of numbers share their memory. */
  public static Tensor slice(Tensor tensor, int from, int to) {
    long[] shape = tensor.shape();
    if (from == 0 && to == shape[0]) {
      return tensor;
    }
    int width = Math.toIntExact(tensor.elementCount() / shape[0]);
    shape[0] = (long) to - from;
    if (tensor.dataType() == DataType.BYTES) {
      return Tensor.of(Arrays.copyOfRange(tensor.byteStrings(), from * width, to * width), shape);
    }
    int size = width * tensor.dataType().byteSize();
    return Tensor.wrap(
        tensor.dataType(),
        tensor.unsafeData().slice(from * size, (to - from) * size).order(ByteOrder.LITTLE_ENDIAN),
        shape);
  }

  /**
   * One tensor of the rows of several, which differ in their first dimension at most.
   *
   * @throws DataException if they differ in more, or are more than 2 GiB
   */
  public static Tensor join(String name, List<Tensor> parts) {
    Tensor first = parts.getFirst();
    if (parts.size() == 1) {
      return first;
    }
    long[] shape = first.shape();
    long size = 0;
    long rows = 0;
    for (Tensor part : parts) {
      long[] own = part.shape();
      if (own.length == 0
          || own.length != shape.length
          || part.dataType() != first.dataType()
          || !Arrays.equals(own, 1, own.length, shape, 1, shape.length)) {
        throw new DataException(
            "output '%s' is %s for some rows and %s for others: send all rows in one request, by --batch"
                .formatted(name, first, part));
      }
      rows += own[0];
      size += part.byteSize();
    }
    if (size > Integer.MAX_VALUE - 8) {
      throw new DataException("output '%s' of all rows is more than 2 GiB".formatted(name));
    }
    ByteBuffer all = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
    parts.forEach(part -> all.put(part.data()));
    shape[0] = rows;
    return Tensor.wrap(first.dataType(), all.flip(), shape);
  }
}
