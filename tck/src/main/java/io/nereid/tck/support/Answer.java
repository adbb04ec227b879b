package io.nereid.tck.support;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.Map;

/** What a request got: one response, or a failure. */
public sealed interface Answer {
  /**
   * A response.
   *
   * @param tensors by output name, copied to the heap
   */
  record Outputs(Map<String, Tensor> tensors, Map<String, Parameter> parameters) implements Answer {
    public Outputs {
      tensors = Map.copyOf(tensors);
      parameters = Map.copyOf(parameters);
    }
  }

  record Failure(InferenceException exception) implements Answer {}
}
