package io.nereid.tools.data;

import io.nereid.client.DataType;
import io.nereid.client.model.TensorMetadata;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The place of a tensor in rows: how many values each row has of it.
 *
 * @param hasRows whether the first dimension is of any size, and counts rows; if not, the tensor is
 *     one row
 * @param dims of one row, in row-major order; at most one of them is -1
 */
record RowLayout(String name, DataType type, boolean hasRows, List<Long> dims) {
  /** A dimension of any size. */
  private static final long ANY = -1;

  RowLayout {
    dims = List.copyOf(dims);
  }

  /**
   * @throws DataException if the data type is none of the protocol's, or two dimensions of a row
   *     are of any size
   */
  static RowLayout of(TensorMetadata tensor) {
    List<Long> shape = tensor.shape();
    boolean hasRows = !shape.isEmpty() && shape.getFirst() == ANY;
    List<Long> dims = hasRows ? shape.subList(1, shape.size()) : shape;
    if (dims.stream().filter(dim -> dim == ANY).count() > 1) {
      throw new DataException(
          "'%s' has the shape %s: rows do not say how large each dimension is, but arrays (.npz) and requests (.json) do"
              .formatted(tensor.name(), shape));
    }
    return new RowLayout(tensor.name(), type(tensor), hasRows, dims);
  }

  static DataType type(TensorMetadata tensor) {
    try {
      return DataType.valueOf(tensor.dataType());
    } catch (IllegalArgumentException _) {
      throw new DataException(
          "'%s' has the unknown data type '%s'".formatted(tensor.name(), tensor.dataType()));
    }
  }

  /** Whether a row may have any number of values. */
  boolean isOfAnyWidth() {
    return dims.contains(ANY);
  }

  /** The values of a row; of one whose width is not fixed, those without that dimension. */
  long width() {
    return dims.stream().filter(dim -> dim != ANY).reduce(1L, Math::multiplyExact);
  }

  /**
   * The shape of a tensor of rows.
   *
   * @param width the values of each row, a multiple of {@link #width()}
   */
  long[] shape(long rows, long width) {
    return LongStream.concat(
            hasRows ? LongStream.of(rows) : LongStream.empty(),
            dims.stream().mapToLong(dim -> dim == ANY ? width / width() : dim))
        .toArray();
  }
}
