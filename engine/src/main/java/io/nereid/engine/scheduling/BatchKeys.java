package io.nereid.engine.scheduling;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.Ticket;
import io.nereid.request.InferenceRequest;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a batcher reads of a model's requests. Requests with equal batch keys may share a batch:
 * inputs with a variable dimension must have the same shape, unless they may be ragged; shape
 * tensors must be equal in shape and content; if any input is optional, the requests must have the
 * same inputs. If the cost of a batch has a limit, a request has a weight, too.
 */
final class BatchKeys {
  /** The part of a key that belongs to one input. */
  private record InputKey(String name, @Nullable Shape shape, @Nullable ByteBuffer content) {}

  private final ModelConfig config;
  private final boolean optional;
  private final boolean constant;

  /** Null if the cost of a batch has no limit. */
  private final @Nullable RequestWeights weights;

  /** Whether any two requests may share a batch, and have no weight. */
  private final boolean plain;

  BatchKeys(ModelConfig config) {
    this.config = config;
    this.optional = config.inputs().stream().anyMatch(TensorConfig::optional);
    this.constant = !optional && config.inputs().stream().noneMatch(BatchKeys::isEnforced);
    this.weights =
        config.batchCost().map(costs -> new RequestWeights(costs.weightInput())).orElse(null);
    this.plain = constant && weights == null;
  }

  private static boolean isEnforced(TensorConfig input) {
    return input.shapeTensor() || (!input.dims().isConcrete() && !input.allowRaggedBatch());
  }

  /** Sets what a policy reads of a request. */
  void mark(PendingRequest request) {
    if (plain) {
      return; // as a ticket is made
    }
    request.batchKey(of(request.request()));
    if (weights != null) {
      request.setWeight(weights.of(request.request()));
    }
  }

  /** The key of a request; the same object for all requests if any two may share a batch. */
  private Object of(InferenceRequest request) {
    if (constant) {
      return Ticket.ANY_BATCH;
    }
    List<InputKey> keys = new ArrayList<>(request.inputs().size());
    for (TensorConfig input : config.inputs()) {
      Optional<Tensor> tensor = request.input(input.name());
      if (tensor.isPresent() && (optional || isEnforced(input))) {
        keys.add(key(input, tensor.get()));
      }
    }
    return keys;
  }

  private InputKey key(TensorConfig input, Tensor tensor) {
    if (input.shapeTensor()) {
      var content = ByteBuffer.wrap(tensor.data().toArray(ValueLayout.JAVA_BYTE));
      return new InputKey(input.name(), tensor.shape(), content);
    }
    if (!isEnforced(input)) {
      return new InputKey(input.name(), null, null);
    }
    Shape shape = config.batches() ? tensor.shape().withoutLeading() : tensor.shape();
    return new InputKey(input.name(), shape, null);
  }
}
