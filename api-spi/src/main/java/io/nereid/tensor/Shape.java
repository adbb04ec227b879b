package io.nereid.tensor;

import java.util.Arrays;
import java.util.List;

/**
 * The dimensions of a tensor, outermost first. Immutable and compared by content. A dimension of
 * {@link #WILDCARD} means any size; it occurs in the declarations of a model and never in a {@link
 * Tensor}.
 */
public final class Shape {
  /** A dimension of any size. */
  public static final long WILDCARD = -1;

  private static final Shape SCALAR = new Shape(new long[0]);

  private final long[] dims;

  private Shape(long[] dims) {
    this.dims = dims;
  }

  /** A shape of these dimensions; without any, the shape {@code []} of a scalar. */
  public static Shape of(long... dims) {
    return dims.length == 0 ? SCALAR : new Shape(dims.clone());
  }

  /** A shape of these dimensions. */
  public static Shape of(List<Long> dims) {
    return dims.isEmpty() ? SCALAR : new Shape(dims.stream().mapToLong(Long::longValue).toArray());
  }

  /** The number of dimensions. */
  public int rank() {
    return dims.length;
  }

  /** The dimension at {@code index}; 0 is the outermost. */
  public long dim(int index) {
    return dims[index];
  }

  /** The dimensions, outermost first, as a new array. */
  public long[] dims() {
    return dims.clone();
  }

  /** Whether no dimension is negative. */
  public boolean isConcrete() {
    for (long dim : dims) {
      if (dim < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * The product of the dimensions; 1 for a scalar.
   *
   * @throws ArithmeticException if a dimension is negative or the product overflows a {@code long}
   */
  public long elementCount() {
    long count = 1;
    boolean empty = false;
    for (long dim : dims) {
      if (dim < 0) {
        throw new ArithmeticException("shape " + this + " has no element count");
      }
      if (dim == 0) {
        empty = true; // the product is 0, also if the other dimensions overflow
      } else if (!empty) {
        count = Math.multiplyExact(count, dim);
      }
    }
    return empty ? 0 : count;
  }

  /** This shape with {@code dim}, such as a batch dimension, added in front. */
  public Shape withLeading(long dim) {
    long[] longer = new long[dims.length + 1];
    longer[0] = dim;
    System.arraycopy(dims, 0, longer, 1, dims.length);
    return new Shape(longer);
  }

  /** This shape with its first dimension replaced; the rank must be at least 1. */
  public Shape withFirst(long dim) {
    long[] changed = dims.clone();
    changed[0] = dim;
    return new Shape(changed);
  }

  /** This shape without its first dimension; the rank must be at least 1. */
  public Shape withoutLeading() {
    return dims.length == 1 ? SCALAR : new Shape(Arrays.copyOfRange(dims, 1, dims.length));
  }

  /** Whether {@code actual} has the same rank and, where this has no wildcard, equal dimensions. */
  public boolean accepts(Shape actual) {
    if (actual.dims.length != dims.length) {
      return false;
    }
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] != WILDCARD && dims[i] != actual.dims[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(dims, shape.dims);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dims);
  }

  /** The dimensions without spaces, as Triton prints them: {@code [-1,3,224,224]}. */
  @Override
  public String toString() {
    var text = new StringBuilder("[");
    for (int i = 0; i < dims.length; i++) {
      text.append(i == 0 ? "" : ",").append(dims[i]);
    }
    return text.append(']').toString();
  }
}
