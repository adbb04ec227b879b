package io.nereid.server.execution;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.Reshape;
import io.nereid.spi.Batch;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an execution, as the backend reads them. There is one an instance: {@link #begin}
 * makes it the batch of an execution, {@link #end} nobody's again. In between, only the thread that
 * began it may use it, but for {@link #isCancelled} and what runs on cancellation: a backend that
 * goes on with a batch that has ended is told so, whichever batch its instance is running then.
 */
final class RequestBatch implements Batch, PendingRequest.Holder {
  private final ModelConfig config;
  private final List<PendingRequest> requests;
  private final GatherBuffers gatherBuffers;
  private final @Nullable SequenceTensors sequences;

  /** Who executes the batch; null between two executions. Any other thread may see an old one. */
  private @Nullable Thread executor;

  /** What runs on cancellation, of this batch; under the lock. */
  private @Nullable Runnable cancelAction;

  /** Whether the action runs no more; written under the lock. */
  private volatile boolean ended = true;

  /**
   * @param requests those of the execution that is begun or under way; not changed meanwhile
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

  /** An execution by this thread begins, of the requests that are there now. */
  void begin() {
    executor = Thread.currentThread();
    synchronized (this) {
      cancelAction = null;
      ended = false;
    }
  }

  /** The execution is over: from now on the action does not run, and it is not running. */
  void end() {
    executor = null;
    synchronized (this) {
      cancelAction = null;
      ended = true;
    }
  }

  /** Refuses who is not the thread of the execution that is under way. */
  void requireOpen() {
    if (!Thread.currentThread().equals(executor)) {
      throw new IllegalStateException(
          "model '%s' goes on with a batch that has ended, or by another thread than its instance's"
              .formatted(config.name()));
    }
  }

  List<PendingRequest> requests() {
    return requests;
  }

  @Override
  public int size() {
    requireOpen();
    return requests.size();
  }

  @Override
  public InferenceRequest request(int index) {
    requireOpen();
    return requests.get(index).request();
  }

  @Override
  public long rows() {
    requireOpen();
    long rows = 0;
    for (PendingRequest request : requests) {
      rows += request.rows();
    }
    return rows;
  }

  @Override
  public boolean isPadding(int index) {
    requireOpen();
    return sequences != null && sequences.isPadding(index);
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    requireOpen();
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
    requireOpen();
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
    requireOpen();
    if (sequences == null) {
      throw SequenceTensors.unknownState(config, inputName);
    }
    return sequences.state(index, inputName);
  }

  @Override
  public synchronized boolean isCancelled() {
    if (ended) { // the requests may be gone, or another batch's
      return true;
    }
    for (int i = 0; i < requests.size(); i++) {
      if (!requests.get(i).promise().isDecided()) {
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
    requireOpen();
    synchronized (this) {
      if (cancelAction != null) {
        throw new IllegalStateException("a batch takes one action on cancellation");
      }
      cancelAction = action;
    }
    for (PendingRequest request : requests) {
      request.heldBy(this);
    }
  }

  /** A request was called off: of this batch, or of one before it if the word is late. */
  @Override
  public synchronized void cancelled(PendingRequest request) {
    Runnable action = cancelAction;
    if (!ended && action != null && isCancelled()) {
      ended = true; // once
      action.run();
    }
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
