package io.nereid.request;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.lookup.NamedList;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * One inference, independent of the protocol that it arrived by.
 *
 * @param model the model and version that serve the request
 * @param id the client's id, echoed in the response; empty if it sent none
 * @param inputs borrowed, in wire order, with distinct names; shapes include the batch dimension
 * @param outputs distinct names of the requested outputs, never empty; all outputs of the model if
 *     the client named none
 */
public record InferenceRequest(
    ModelKey model, String id, List<Tensor> inputs, List<String> outputs, RequestOptions options) {
  public InferenceRequest {
    inputs = NamedList.copyOf(inputs, Tensor::name);
    outputs = List.copyOf(outputs);
  }

  /** The input of that name; empty if the request does not have it. */
  public Optional<Tensor> input(String name) {
    return NamedList.find(inputs, name, Tensor::name);
  }

  /**
   * The number of rows that this request adds to a batch: the first dimension of an input that is
   * no shape tensor; 1 if the model does not batch.
   */
  public long rows(ModelConfig config) {
    for (Tensor input : inputs) {
      boolean shapeTensor = config.input(input.name()).map(TensorConfig::shapeTensor).orElse(false);
      if (config.batches() && !shapeTensor && input.shape().rank() > 0) {
        return input.shape().dim(0);
      }
    }
    return 1;
  }
}
