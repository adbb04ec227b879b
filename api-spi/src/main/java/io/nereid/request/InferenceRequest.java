package io.nereid.request;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * One inference as every stage after the decoder sees it: no JSON, no protobuf, no socket.
 *
 * @param model the version that serves it
 * @param id the client's id, echoed in the response; empty if it sent none
 * @param inputs borrowed, in wire order, names distinct; shapes include the batch dimension
 * @param outputs names of the outputs wanted, distinct; never empty: all of the model's if the
 *     client named none
 */
public record InferenceRequest(
    ModelKey model, String id, List<Tensor> inputs, List<String> outputs, RequestOptions options) {
  public InferenceRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** The input of that name; empty if the request does not have it. */
  public Optional<Tensor> input(String name) {
    for (Tensor input : inputs) {
      if (input.name().equals(name)) {
        return Optional.of(input);
      }
    }
    return Optional.empty();
  }

  /**
   * The rows that this request adds to a batch of {@code config}: the first dimension of its inputs
   * but for shape tensors, which have no rows; 1 if the model does not batch.
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
