package io.nereid.engine.execution.batch;

import io.nereid.config.BatchInput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.call.RequestCalls;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.Reshape;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an execution, as the backend reads them. Each instance has one object, reused for
 * every batch between {@link #begin} and {@link #end}. Only the thread that began the batch may use
 * it, except for {@link #isCancelled()} and the action on cancellation. All other methods fail
 * after the batch has ended and on other threads, even if the instance is executing another batch
 * then.
 */
final class RequestBatch implements Batch, PendingRequest.Holder {
  private static final BitSet NONE_DETACHED = new BitSet(0);

  private final ExecutedModel model;
  private final DispatchedBatch dispatched;
  private final GatherBuffers gatherBuffers;
  private final @Nullable SequenceTensors sequences;
  private final boolean holdsResources;

  /** Those that were asked for, by request; null where none were. */
  private volatile @Nullable Map<PendingRequest, RequestCalls> calls;

  /** The requests that are held by others; replaced when the first one is detached. */
  private BitSet detached = NONE_DETACHED;

  /** The executing thread; null between executions. Other threads may read a stale value. */
  private @Nullable Thread executor;

  private final CancelAction cancelAction = new CancelAction(this::allDecided);

  /**
   * @param dispatched not changed while it runs
   * @param sequences null unless the model is a sequence model
   * @param holdsResources whether the instance holds resources of the rate limiter while it
   *     executes the batch
   */
  RequestBatch(
      ExecutedModel model,
      DispatchedBatch dispatched,
      GatherBuffers gatherBuffers,
      @Nullable SequenceTensors sequences,
      boolean holdsResources) {
    this.model = model;
    this.dispatched = dispatched;
    this.gatherBuffers = gatherBuffers;
    this.sequences = sequences;
    this.holdsResources = holdsResources;
  }

  /** Begins an execution of the current requests by the calling thread. */
  void begin() {
    executor = Thread.currentThread();
    detached = NONE_DETACHED;
    cancelAction.begin();
  }

  /** Ends the execution. The action on cancellation does not run after this returns. */
  void end() {
    executor = null;
    Map<PendingRequest, RequestCalls> made = calls;
    if (made != null) {
      made.values().forEach(RequestCalls::close);
      calls = null;
    }
    cancelAction.end();
  }

  /** Fails unless the calling thread is executing this batch. */
  void requireOpen() {
    if (!isExecutedHere()) {
      throw new IllegalStateException(
          "model '%s' used a batch after its end, or from a thread other than its instance's"
              .formatted(model.config().name()));
    }
  }

  private boolean isExecutedHere() {
    return Thread.currentThread().equals(executor);
  }

  /** Notes that a request has another holder, which passes a cancellation on to this one. */
  void detached(int index) {
    if (detached.isEmpty()) { // NONE_DETACHED is shared
      detached = new BitSet();
    }
    detached.set(index);
  }

  DispatchedBatch dispatched() {
    return dispatched;
  }

  @Override
  public int size() {
    requireOpen();
    return dispatched.requests().size();
  }

  @Override
  public InferenceRequest request(int index) {
    requireOpen();
    return dispatched.requests().get(index).request();
  }

  @Override
  public long rows() {
    requireOpen();
    long rows = 0;
    for (PendingRequest request : dispatched.requests()) {
      rows += request.rows();
    }
    return rows;
  }

  @Override
  public boolean isPadding(int index) {
    requireOpen();
    return dispatched.isPadding(index);
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
    return forModel(model.config(), request(index).input(name));
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    requireOpen();
    Optional<BatchInput> computed = model.config().batchInput(name);
    if (computed.isPresent()) {
      var batchInputs = new BatchInputs(model.config(), this, gatherBuffers);
      return Optional.of(batchInputs.compute(computed.get(), name));
    }
    Optional<TensorConfig> declared = model.config().input(name);
    boolean ragged = declared.isPresent() && declared.get().allowRaggedBatch();
    if (size() == 1 || (declared.isPresent() && declared.get().shapeTensor())) {
      Optional<Tensor> first = input(0, name); // all shape tensors of a batch are equal
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
      throw SequenceTensors.unknownState(model.config(), inputName);
    }
    return sequences.state(index, inputName);
  }

  @Override
  public boolean isCancelled() {
    return cancelAction.isCancelled();
  }

  private boolean allDecided() {
    for (int i = 0; i < dispatched.requests().size(); i++) {
      if (!dispatched.requests().get(i).promise().isDecided()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isCancelled(int index) {
    requireOpen();
    return dispatched.requests().get(index).promise().isDecided();
  }

  @Override
  public Optional<Duration> remaining(int index) {
    requireOpen();
    return remaining(dispatched.requests().get(index), model.clock().getAsLong());
  }

  /** The time until a request's deadline; empty if it has none. */
  static Optional<Duration> remaining(PendingRequest request, long now) {
    long deadline = request.deadlineNanos();
    return deadline == PendingRequest.NEVER
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(0, deadline - now)));
  }

  /** Whether every request is cancelled or past its deadline. */
  boolean isOver(long now) {
    for (PendingRequest request : dispatched.requests()) {
      if (!request.promise().isDecided() && request.deadlineNanos() > now) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void onCancel(Runnable action) {
    requireOpen();
    cancelAction.set(action);
    for (int i = 0; i < dispatched.requests().size(); i++) {
      if (!detached.get(i)) {
        dispatched.requests().get(i).heldBy(this);
      }
    }
    if (!detached.isEmpty()) {
      cancelAction.runIfCancelled(); // what has been passed on before had no effect
    }
  }

  @Override
  public ModelCalls calls(int index) {
    if (isPadding(index)) {
      throw new IllegalArgumentException("row %d is padding: nobody asks for it".formatted(index));
    }
    Map<PendingRequest, RequestCalls> made = calls;
    if (made == null) {
      made = new ConcurrentHashMap<>();
      calls = made;
    }
    PendingRequest request = dispatched.requests().get(index);
    RequestCalls known = made.get(request);
    if (known == null) {
      known = new RequestCalls(model.calls(), request, () -> holdsResources);
      made.put(request, known);
      if (!detached.get(index)) {
        request.heldBy(this); // is told of a cancellation
      } else if (request.promise().isDecided()) { // maybe before the calls were known
        known.cancel();
      }
    }
    return known;
  }

  /**
   * Calls on behalf of a request that is detached, which ends them. The instance may end its
   * execution, and release its resources, before they end.
   */
  RequestCalls callsOfDetached(PendingRequest request) {
    return new RequestCalls(model.calls(), request, () -> holdsResources && isExecutedHere());
  }

  /** Called when a request of this batch is cancelled, or late, one of an earlier batch. */
  @Override
  public void cancelled(PendingRequest request) {
    Map<PendingRequest, RequestCalls> made = calls;
    RequestCalls cancelled = made == null ? null : made.get(request);
    if (cancelled != null) {
      cancelled.cancel();
    }
    cancelAction.runIfCancelled();
  }

  /** An input of a request in the shape that the model sees. */
  static Optional<Tensor> forModel(ModelConfig config, Optional<Tensor> input) {
    return input.map(tensor -> forModel(config, tensor));
  }

  private static Tensor forModel(ModelConfig config, Tensor input) {
    Optional<TensorConfig> declared = config.input(input.name());
    return declared.isPresent() ? Reshape.forModel(config, declared.get(), input) : input;
  }
}
