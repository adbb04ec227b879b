package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How large the inputs of a batch of one request are, and what is asked of them. Immutable.
 *
 * @param outputs those that it wants: one may take many times as long as another
 * @param parameters its own, which may say how much is computed
 */
record InputSizes(List<InputSize> inputs, List<String> outputs, Map<String, Parameter> parameters) {
  record InputSize(String name, Shape shape, long byteSize) {
    boolean covers(Tensor input) {
      Shape other = input.shape();
      if (!name.equals(input.name())
          || input.byteSize() > byteSize
          || other.rank() != shape.rank()) {
        return false;
      }
      for (int i = 0; i < other.rank(); i++) {
        if (other.dim(i) > shape.dim(i)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Null for a batch of more requests than one. */
  static @Nullable InputSizes of(DispatchedBatch batch) {
    InferenceRequest only = only(batch);
    return only == null
        ? null
        : new InputSizes(
            only.inputs().stream()
                .map(input -> new InputSize(input.name(), input.shape(), input.byteSize()))
                .toList(),
            only.outputs(),
            only.options().parameters());
  }

  /**
   * Whether a batch has the same inputs, none of them larger in any dimension, and the same
   * parameters, and wants no other outputs.
   */
  boolean cover(DispatchedBatch batch) {
    InferenceRequest other = only(batch);
    if (other == null
        || other.inputs().size() != inputs.size()
        || !parameters.equals(other.options().parameters())) {
      return false;
    }
    for (int i = 0; i < inputs.size(); i++) {
      if (!inputs.get(i).covers(other.inputs().get(i))) {
        return false;
      }
    }
    List<String> wanted = other.outputs();
    for (int i = 0; i < wanted.size(); i++) {
      if (!outputs.contains(wanted.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable InferenceRequest only(DispatchedBatch batch) {
    return batch.requests().size() == 1 ? batch.requests().getFirst().request() : null;
  }
}
