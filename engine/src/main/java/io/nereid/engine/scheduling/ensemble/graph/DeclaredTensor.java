package io.nereid.engine.scheduling.ensemble.graph;

import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.Optional;

/**
 * The declaration of an ensemble's tensor by one model. The first declaration of a tensor is the
 * one that all others must agree with.
 *
 * @param model the model that declares it: the ensemble itself, or the model of a step
 * @param dims without the batch dimension
 * @param fullDims with the batch dimension, if the model has one
 */
record DeclaredTensor(String model, DataType dataType, Shape dims, Shape fullDims) {
  static DeclaredTensor of(String model, TensorConfig tensor, Shape dims, boolean batched) {
    return new DeclaredTensor(
        model, tensor.dataType(), dims, batched ? dims.withLeading(Shape.WILDCARD) : dims);
  }

  /**
   * What is wrong with another declaration, if anything. Shapes agree without the batch dimension
   * or with it, so {@code [-1,16]} of a model that does not batch agrees with {@code [16]} of one
   * that does.
   */
  Optional<String> disagreement(DeclaredTensor other) {
    if (dataType != other.dataType) {
      return Optional.of(
          "inconsistent data type: %s is inferred from model %s while %s is inferred from model %s"
              .formatted(dataType.configName(), model, other.dataType.configName(), other.model));
    }
    if (!agree(dims, other.dims) && !agree(fullDims, other.fullDims)) {
      return Optional.of(
          "inconsistent shape: %s is inferred from model %s while %s is inferred from model %s"
              .formatted(fullDims, model, other.fullDims, other.model));
    }
    return Optional.empty();
  }

  /** Whether a tensor can have both shapes. */
  private static boolean agree(Shape one, Shape other) {
    if (one.rank() != other.rank()) {
      return false;
    }
    for (int i = 0; i < one.rank(); i++) {
      if (one.dim(i) != Shape.WILDCARD
          && other.dim(i) != Shape.WILDCARD
          && one.dim(i) != other.dim(i)) {
        return false;
      }
    }
    return true;
  }
}
