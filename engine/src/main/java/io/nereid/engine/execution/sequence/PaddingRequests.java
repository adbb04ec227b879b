package io.nereid.engine.execution.sequence;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.DroppedResponses;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests in the padding rows of batches: cancelled requests without outputs, whose inputs
 * have the shapes of a real request and are zero. Shape tensors are those of the real request. Used
 * by the instance's thread.
 */
public final class PaddingRequests {
  /** A padding row without inputs. */
  public static final PendingRequest EMPTY = request(new ModelKey("", 0), List.of());

  private final ModelConfig config;
  private final ZeroMemory zeros;

  /** The padding of the last batch, which mostly fits the next one. */
  private PendingRequest recent = EMPTY;

  public PaddingRequests(ModelConfig config, ZeroMemory zeros) {
    this.config = config;
    this.zeros = zeros;
  }

  /** The padding of a batch that contains {@code real}. */
  public PendingRequest like(InferenceRequest real) {
    if (!isLike(recent.request().inputs(), real.inputs())) {
      List<Tensor> inputs = new ArrayList<>(real.inputs().size());
      for (Tensor input : real.inputs()) {
        inputs.add(isShape(input) ? input : zeros.like(input));
      }
      recent = request(real.model(), inputs);
    }
    return recent;
  }

  private boolean isLike(List<Tensor> inputs, List<Tensor> real) {
    if (inputs.size() != real.size()) {
      return false;
    }
    for (int i = 0; i < real.size(); i++) {
      Tensor input = inputs.get(i);
      Tensor other = real.get(i);
      if (isShape(other)
          || !input.name().equals(other.name())
          || input.dataType() != other.dataType()
          || !input.shape().equals(other.shape())
          || !zeros.holds(input)) {
        return false;
      }
    }
    return true;
  }

  private boolean isShape(Tensor input) {
    return config.input(input.name()).map(TensorConfig::shapeTensor).orElse(false);
  }

  private static PendingRequest request(ModelKey model, List<Tensor> inputs) {
    var promise = new ResponsePromise(new DroppedResponses(_ -> {}));
    promise.cancel(); // no batch runs for its padding alone
    return new PendingRequest(
        new InferenceRequest(model, "", inputs, List.of(), RequestOptions.NONE),
        1,
        List.of(),
        () -> {},
        promise,
        0,
        Long.MAX_VALUE);
  }
}
