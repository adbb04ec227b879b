package io.nereid.config;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.TensorSpec;
import java.util.Optional;

/**
 * An input or an output of a model.
 *
 * @param dims without the batch dimension; {@link Shape#WILDCARD} for a dimension of any size
 * @param reshape the shape that the model itself uses, without the batch dimension; empty if that
 *     is {@code dims}
 * @param optional inputs only: whether a request may leave it out
 * @param allowRaggedBatch inputs only: whether requests with different shapes may share a batch
 * @param shapeTensor whether its values are a shape; such a tensor has no batch dimension
 * @param format layout of an image input
 * @param labelFilename outputs only: file of class labels, relative to the model's directory; empty
 *     if there is none
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

  /** A tensor with default settings; {@code dims} without the batch dimension. */
  public static TensorConfig of(String name, DataType dataType, Shape dims) {
    return new TensorConfig(
        name, dataType, dims, Optional.empty(), false, false, false, Format.FORMAT_NONE, "");
  }

  /**
   * The tensor as clients see it: {@code dims}, with a leading {@link Shape#WILDCARD} for the batch
   * if {@code maxBatchSize} is above 0 and this is no shape tensor.
   */
  public TensorSpec clientSpec(int maxBatchSize) {
    return spec(dims, maxBatchSize);
  }

  /** The tensor as the model sees it: as {@link #clientSpec}, with {@code reshape} applied. */
  public TensorSpec modelSpec(int maxBatchSize) {
    return spec(reshape.orElse(dims), maxBatchSize);
  }

  private TensorSpec spec(Shape shape, int maxBatchSize) {
    boolean batched = maxBatchSize > 0 && !shapeTensor;
    return new TensorSpec(name, dataType, batched ? shape.withLeading(Shape.WILDCARD) : shape);
  }
}
