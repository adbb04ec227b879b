package io.nereid.tck.support;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.Map;

/** The outcome of a request: one response, or a failure. */
public sealed interface Outcome {
  /**
   * A response.
   *
   * @param tensors by output name, copied to the heap
   */
  record Outputs(Map<String, Tensor> tensors, Map<String, Parameter> parameters)
      implements Outcome {
    public Outputs {
      tensors = Map.copyOf(tensors);
      parameters = Map.copyOf(parameters);
    }

    /** The names, types and shapes of the outputs. */
    @Override
    public String toString() {
      return tensors.values().stream()
          .map(tensor -> tensor.name() + " " + tensor.dataType() + tensor.shape())
          .sorted()
          .toList()
          .toString();
    }
  }

  record Failure(InferenceException exception) implements Outcome {}
}
