package io.nereid.engine.request;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.Optional;

/** The {@code reshape} of a tensor's configuration: the same elements with another shape. */
public final class Reshape {
  private Reshape() {}

  /** An input as its client has sent it, in the shape that the model sees. */
  public static Tensor forModel(ModelConfig config, TensorConfig declared, Tensor sent) {
    Optional<Shape> reshape = declared.reshape();
    if (reshape.isEmpty()) {
      return sent;
    }
    boolean batched = config.batches() && !declared.shapeTensor();
    Shape shape = apply(declared.dims(), reshape.get(), sent.shape(), batched);
    return new Tensor(sent.name(), sent.dataType(), shape, sent.data());
  }

  /**
   * The shape {@code to} of a tensor whose declared shape is {@code from} and whose actual shape is
   * {@code actual}. The wildcards of {@code to} get the sizes of the wildcards of {@code from},
   * left to right.
   *
   * @param batched {@code actual} has a batch dimension in front, which the result keeps
   */
  public static Shape apply(Shape from, Shape to, Shape actual, boolean batched) {
    int offset = batched ? 1 : 0;
    long[] dims = new long[to.rank() + offset];
    if (batched) {
      dims[0] = actual.dim(0);
    }
    int next = 0;
    for (int i = 0; i < to.rank(); i++) {
      long dim = to.dim(i);
      if (dim == Shape.WILDCARD) {
        while (from.dim(next) != Shape.WILDCARD) {
          next++;
        }
        dim = actual.dim(next + offset);
        next++;
      }
      dims[i + offset] = dim;
    }
    return Shape.of(dims);
  }
}
