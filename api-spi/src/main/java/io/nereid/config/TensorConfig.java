package io.nereid.config;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.TensorSpec;
import java.util.Optional;

/**
 * An input or an output of a model.
 *
 * @param dims without the batch dimension; -1 is a dimension of any size
 * @param reshape the shape that the model itself works with, where it differs from {@code dims}
 * @param optional inputs only: a request may leave it out
 * @param allowRaggedBatch inputs only: requests with different shapes may share a batch
 * @param shapeTensor its values are a shape; it has no batch dimension
 * @param format layout of an image input
 * @param labelFilename outputs only: labels of its classes, relative to the model's directory;
 *     empty if there is none
 */
public record TensorConfig(
    String name,
    DataType dataType,
    Shape dims,
    Optional<Shape> reshape,
    boolean optional,
    boolean allowRaggedBatch,
    boolean shapeTensor,
    Format format,
    String labelFilename) {
  /** Layout of an image. */
  public enum Format {
    FORMAT_NONE,
    FORMAT_NHWC,
    FORMAT_NCHW
  }

  /** A tensor with nothing but a name, a type and its dimensions without the batch dimension. */
  public static TensorConfig of(String name, DataType dataType, Shape dims) {
    return new TensorConfig(
        name, dataType, dims, Optional.empty(), false, false, false, Format.FORMAT_NONE, "");
  }

  /**
   * What a client sends or gets: with a leading -1 if {@code maxBatchSize} is above 0 and this is
   * no shape tensor.
   */
  public TensorSpec clientSpec(int maxBatchSize) {
    return spec(dims, maxBatchSize);
  }

  /**
   * What the model itself works with: {@code reshape} if there is one, and a leading -1 as for
   * {@link #clientSpec}.
   */
  public TensorSpec modelSpec(int maxBatchSize) {
    return spec(reshape.orElse(dims), maxBatchSize);
  }

  private TensorSpec spec(Shape shape, int maxBatchSize) {
    boolean batched = maxBatchSize > 0 && !shapeTensor;
    return new TensorSpec(name, dataType, batched ? shape.withLeading(Shape.WILDCARD) : shape);
  }
}
