package io.nereid.server.scheduling.ensemble.graph;

import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;

/**
 * What one model says of a tensor: the first to name it, whom all others must agree with.
 *
 * @param model who says so: the ensemble itself, or the model of a step
 * @param dims without the batch dimension
 * @param fullDims with it, if the model has one
 */
record DeclaredTensor(String model, DataType dataType, Shape dims, Shape fullDims) {
  static DeclaredTensor of(String model, TensorConfig tensor, Shape dims, boolean batched) {
    return new DeclaredTensor(
        model, tensor.dataType(), dims, batched ? dims.withLeading(Shape.WILDCARD) : dims);
  }

  /**
   * Checks that another model says the same of it. Shapes agree without the batch dimension or with
   * it, so that {@code [-1,16]} of a model that does not batch meets {@code [16]} of one that does.
   *
   * @param where names the ensemble and the tensor, in front of the error
   */
  void requireAgreement(DeclaredTensor other, String where) {
    if (dataType != other.dataType) {
      throw InferenceException.invalid(
          "%sinconsistent data type: %s is inferred from model %s while %s is inferred from model %s"
              .formatted(
                  where, configName(dataType), model, configName(other.dataType), other.model));
    }
    if (!agree(dims, other.dims) && !agree(fullDims, other.fullDims)) {
      throw InferenceException.invalid(
          "%sinconsistent shape: %s is inferred from model %s while %s is inferred from model %s"
              .formatted(where, fullDims, model, other.fullDims, other.model));
    }
  }

  /** As configurations write it. */
  private static String configName(DataType dataType) {
    return dataType == DataType.BYTES ? "TYPE_STRING" : "TYPE_" + dataType;
  }

  /** Whether some tensor fits both shapes. */
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
