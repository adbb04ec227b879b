package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How large the inputs of a batch of one request are. Immutable. */
record InputSizes(List<InputSize> inputs) {
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
    List<Tensor> inputs = inputs(batch);
    return inputs == null
        ? null
        : new InputSizes(
            inputs.stream()
                .map(input -> new InputSize(input.name(), input.shape(), input.byteSize()))
                .toList());
  }

  /** Whether a batch has the same inputs, none of them larger in any dimension. */
  boolean cover(DispatchedBatch batch) {
    List<Tensor> others = inputs(batch);
    if (others == null || others.size() != inputs.size()) {
      return false;
    }
    for (int i = 0; i < inputs.size(); i++) {
      if (!inputs.get(i).covers(others.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable List<Tensor> inputs(DispatchedBatch batch) {
    return batch.requests().size() == 1 ? batch.requests().getFirst().request().inputs() : null;
  }
}
