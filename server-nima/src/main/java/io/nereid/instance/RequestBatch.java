package io.nereid.instance;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.Reshape;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.Batch;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests of one execution, as the backend reads them. */
final class RequestBatch implements Batch {
  private final ModelConfig config;
  private final List<PendingRequest> requests;
  private final GatherBuffers gatherBuffers;
  private final @Nullable SequenceTensors sequences;
  private @Nullable Runnable cancelAction;
  private boolean ended;

  /**
   * @param sequences null unless it is a sequence model's batch
   */
  RequestBatch(
      ModelConfig config,
      List<PendingRequest> requests,
      GatherBuffers gatherBuffers,
      @Nullable SequenceTensors sequences) {
    this.config = config;
    this.requests = requests;
    this.gatherBuffers = gatherBuffers;
    this.sequences = sequences;
  }

  @Override
  public int size() {
    return requests.size();
  }

  @Override
  public InferenceRequest request(int index) {
    return requests.get(index).request();
  }

  @Override
  public long rows() {
    long rows = 0;
    for (PendingRequest request : requests) {
      rows += request.rows();
    }
    return rows;
  }

  @Override
  public boolean isPadding(int index) {
    return sequences != null && sequences.isPadding(index);
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    if (sequences != null) {
      Tensor added = sequences.input(index, name);
      if (added != null) {
        return Optional.of(added);
      }
    }
    return request(index).input(name).map(this::forModel);
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    Optional<BatchInput> computed = config.batchInput(name);
    if (computed.isPresent()) {
      var batchInputs = new BatchInputs(config, this, gatherBuffers);
      return Optional.of(batchInputs.compute(computed.get(), name));
    }
    Optional<TensorConfig> declared = config.input(name);
    boolean ragged = declared.isPresent() && declared.get().allowRaggedBatch();
    if (size() == 1 || (declared.isPresent() && declared.get().shapeTensor())) {
      Optional<Tensor> first = input(0, name); // shape tensors of a batch are all the same
      return ragged ? first.map(RequestBatch::flat) : first;
    }
    Tensor control = sequences == null ? null : sequences.gatheredControl(name, gatherBuffers);
    return control == null ? gatherBuffers.gather(this, name, ragged) : Optional.of(control);
  }

  private static Tensor flat(Tensor tensor) {
    Shape shape = Shape.of(tensor.shape().elementCount());
    return new Tensor(tensor.name(), tensor.dataType(), shape, tensor.data());
  }

  @Override
  public Tensor state(int index, String inputName) {
    if (sequences == null) {
      throw SequenceTensors.unknownState(config, inputName);
    }
    return sequences.state(index, inputName);
  }

  @Override
  public boolean isCancelled() {
    for (PendingRequest request : requests) {
      if (!request.promise().isDecided()) {
        return false;
      }
    }
    return true;
  }

  /** Whether nobody waits for any request any more: called off, or past its deadline. */
  boolean isOver(long now) {
    for (PendingRequest request : requests) {
      if (!request.promise().isDecided() && request.deadlineNanos() > now) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (this) {
      if (cancelAction != null) {
        throw new IllegalStateException("a batch takes one action on cancellation");
      }
      cancelAction = action;
    }
    for (PendingRequest request : requests) {
      request.promise().onCancel(this::cancelled);
    }
  }

  /** One of the requests was called off. */
  private synchronized void cancelled() {
    Runnable action = cancelAction;
    if (!ended && action != null && isCancelled()) {
      ended = true; // once
      action.run();
    }
  }

  /** The execution is over: from now on the action does not run, and it is not running. */
  synchronized void end() {
    ended = true;
  }

  /** The tensor in the shape that the model works with. */
  private Tensor forModel(Tensor input) {
    Optional<TensorConfig> declared = config.input(input.name());
    Optional<Shape> reshape = declared.flatMap(TensorConfig::reshape);
    if (reshape.isEmpty()) {
      return input;
    }
    boolean batched = config.batches() && !declared.get().shapeTensor();
    Shape shape = Reshape.apply(declared.get().dims(), reshape.get(), input.shape(), batched);
    return new Tensor(input.name(), input.dataType(), shape, input.data());
  }
}
