package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SharedLease;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of an execution, split among its requests. Each instance has one object, reused for
 * every batch between {@link #begin} and {@link #end}. Used by the instance's thread: the methods
 * of {@link Results} fail if another thread calls them, or after the batch has ended.
 */
final class BatchResults implements Results {
  private final ModelConfig config;
  private final DeclaredOutputs outputs;
  private final RequestOutputs single;
  private final RequestBatch batch;
  private final BufferPool pool;
  private final ExecutionMeter meter;
  private final @Nullable SequenceTensors sequences;
  private final DetachedRequests detached;
  private final ResponseBuilders builders;

  /** Outputs that the backend allocated and no request wants; freed after the execution. */
  private final List<Lease> unwanted = new ArrayList<>(0);

  private boolean executionFailed;

  /** Whether the requests have ended. */
  private boolean delivered;

  /**
   * @param sequences null unless the model is a sequence model
   * @param detached those of the instance
   */
  BatchResults(
      ExecutedModel model,
      RequestBatch batch,
      ExecutionMeter meter,
      @Nullable SequenceTensors sequences,
      DetachedRequests detached) {
    this.config = model.config();
    this.outputs = model.outputs();
    this.pool = model.pool();
    this.single = new RequestOutputs(outputs, model.model().fillsOutputs(), pool);
    this.batch = batch;
    this.meter = meter;
    this.sequences = sequences;
    this.detached = detached;
    this.builders = new ResponseBuilders(outputs, config.decoupled(), meter, batch.dispatched());
  }

  /** Begins an execution; called after {@code begin} of the meter and the batch. */
  void begin() {
    executionFailed = false;
    delivered = false;
    builders.begin(batch.dispatched().requests());
  }

  /** Drops the references to the requests; called last. */
  void end() {
    builders.end();
  }

  /** The builder of a request, for calls of the backend. */
  private ResponseBuilder builder(int index) {
    batch.requireOpen();
    ResponseBuilder builder = builders.get(index);
    builder.requireAttached();
    return builder;
  }

  @Override
  public boolean isTraced(int index) {
    return builder(index).trace() != null;
  }

  @Override
  public void activity(int index, String name, long nanoTime) {
    RequestTrace trace = builder(index).trace();
    if (trace != null) {
      trace.activity(name, nanoTime);
    }
  }

  @Override
  public boolean wants(int index, String output) {
    return builder(index).wants(output);
  }

  @Override
  public boolean wants(String output) {
    batch.requireOpen();
    return builders.wants(output);
  }

  @Override
  public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
    boolean wanted = wants(output);
    if (!dataType.hasFixedSize()) {
      throw new IllegalArgumentException(
          "output '%s': the size of %s data does not follow from its shape"
              .formatted(output, dataType));
    }
    long byteSize = DeclaredOutput.byteSize(dataType, shape);
    DeclaredOutput declared = checkedBatch(output, dataType, shape, byteSize);
    Lease lease = pool.lease(byteSize);
    if (wanted) {
      single.clear(lease);
      addBatch(declared, new Tensor(output, dataType, shape, lease.segment()), lease::close);
    } else {
      unwanted.add(lease);
    }
    return lease.segment();
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    return single.allocate(
        builder(index), builders.isPadding(index), output, dataType, shape, byteSize);
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    ResponseBuilder builder;
    try {
      builder = builder(index);
    } catch (RuntimeException misused) {
      release.run();
      throw misused;
    }
    single.give(builder, builders.isPadding(index), output, release);
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    Objects.requireNonNull(release);
    boolean taken = false;
    try {
      batch.requireOpen();
      DeclaredOutput declared =
          checkedBatch(output.name(), output.dataType(), output.shape(), output.byteSize());
      requireRight(declared.checkMemory(output.data()));
      taken = true;
      addBatch(declared, output, release);
    } finally {
      if (!taken) {
        release.run();
      }
    }
  }

  /**
   * Checks an output of all requests.
   *
   * @throws InferenceException if it is wrong; then all requests have failed that had not ended
   */
  private DeclaredOutput checkedBatch(
      String output, DataType dataType, Shape shape, long byteSize) {
    DeclaredOutput declared = outputs.output(output);
    if (declared == null) {
      throw refuseAll(outputs.undeclared(output));
    }
    requireRight(
        builders.holds(output)
            ? declared.givenTwice()
            : declared.checkBatch(dataType, shape, byteSize, builders.rows()));
    return declared;
  }

  private void requireRight(@Nullable InferenceException wrong) {
    if (wrong != null) {
      throw refuseAll(wrong);
    }
  }

  private InferenceException refuseAll(InferenceException wrong) {
    builders.refuseAll(wrong);
    return wrong;
  }

  /** Adds a right output of all requests to their responses. Takes its memory. */
  private void addBatch(DeclaredOutput declared, Tensor output, Runnable release) {
    if (builders.size() == 1 && !declared.isScattered()) {
      add(builders.get(0), declared, output, release);
      return;
    }
    var shared = new SharedLease(release);
    try {
      requireRight(declared.checkContent(output.shape(), output.data()));
      var split = new OutputSplit(config, batch, builders, declared, output);
      for (int i = 0; i < builders.size(); i++) {
        Tensor part = split.next();
        shared.retain();
        add(builders.get(i), declared, part, shared);
      }
    } catch (InferenceException wrong) {
      throw refuseAll(wrong); // or too small, or a request lacks the source of its part
    } finally {
      shared.release();
    }
  }

  /** Adds an output to a response, in the shape that clients see, if it is wanted. */
  private static void add(
      ResponseBuilder builder, DeclaredOutput declared, Tensor output, Runnable release) {
    if (builder.wants(output.name())) {
      builder.add(declared.forClient(output), release);
    } else {
      release.run();
    }
  }

  @Override
  public void drop(int index, String output) {
    builder(index).remove(output);
  }

  @Override
  public void parameter(int index, String name, Parameter value) {
    builder(index).parameter(Objects.requireNonNull(name), Objects.requireNonNull(value));
  }

  @Override
  public MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize) {
    batch.requireOpen();
    DeclaredOutput declared = outputs.state(outputName);
    if (sequences == null || declared == null) {
      throw SequenceTensors.unknownState(config, outputName);
    }
    ResponseBuilder builder = builders.get(index);
    if (builders.isPadding(index) || builder.hasFailed()) {
      return sequences.allocateDropped(byteSize);
    }
    InferenceException wrong =
        sequences.isWritten(index, outputName)
            ? declared.givenTwice()
            : declared.check(dataType, shape, byteSize, builder.rows());
    if (wrong != null) {
      RequestOutputs.refuse(builder, wrong, byteSize);
      return sequences.allocateDropped(byteSize);
    }
    return sequences.allocateState(index, outputName, dataType, shape, byteSize);
  }

  @Override
  public void computeStarted() {
    batch.requireOpen();
    meter.computeStarted();
  }

  @Override
  public void computeEnded() {
    batch.requireOpen();
    meter.computeEnded();
  }

  @Override
  public void computed(long inferNanos, long outputNanos) {
    batch.requireOpen();
    meter.computed(inferNanos, outputNanos);
  }

  @Override
  public void send(int index) {
    builder(index).send();
  }

  @Override
  public void finish(int index) {
    if (!config.decoupled()) {
      throw notDecoupled(config);
    }
    builder(index).finish();
  }

  static IllegalStateException notDecoupled(ModelConfig config) {
    return new IllegalStateException(
        "model '%s' is not decoupled: each request gets one response".formatted(config.name()));
  }

  @Override
  public void fail(int index, InferenceException failure) {
    builder(index).fail(Objects.requireNonNull(failure));
  }

  @Override
  public void reschedule(int index) {
    batch.requireOpen();
    if (!config.sequence().map(SequenceSettings::iterative).orElse(false)) {
      throw InferenceException.invalid(
          "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is"
              + " not configured to handle such a flag.");
    }
    builder(index).reschedule();
  }

  @Override
  public DetachedRequest detach(int index) {
    ResponseBuilder builder = builder(index);
    if (sequences != null) {
      throw InferenceException.unsupported(
          ("model '%s' is a sequence model, whose requests cannot be detached: the next request of"
                  + " a sequence runs once this execution has returned")
              .formatted(config.name()));
    }
    PendingRequest request = batch.dispatched().requests().get(index);
    ExecutionMeter later = meter.detached(detached.statistics());
    var responder = new DetachedResponder(config, request, batch, single, builder, later, detached);
    builder.setDetached(responder);
    detached.add(responder);
    batch.detached(index);
    request.heldBy(responder);
    return responder;
  }

  /** Whether a request is to run again, so it has not ended. Called after {@link #deliver}. */
  boolean isRescheduled(int index) {
    return builders.get(index).isRescheduled();
  }

  /** Fails every request that has not ended. */
  void failAll(InferenceException failure) {
    executionFailed = true;
    builders.failAll(failure);
  }

  /** Ends every request and responds to those without a response. Called once. */
  void deliver() {
    unwanted.forEach(Lease::close);
    unwanted.clear();
    builders.checkContents();
    if (sequences != null) {
      endStates(sequences);
    }
    endAll();
  }

  /** Ends every request, also if ending another one fails. Called once. */
  void endAll() {
    delivered = true;
    builders.endAll();
  }

  /** Whether {@link #endAll} was called. */
  boolean isDelivered() {
    return delivered;
  }

  /** Counts the requests, and the execution if one of them succeeded. After {@link #deliver}. */
  void count(long rows) {
    if (builders.count()) {
      meter.count(rows);
    }
  }

  private void endStates(SequenceTensors states) {
    for (int i = 0; i < builders.size(); i++) {
      InferenceException wrong = states.checkContents(i, outputs);
      if (wrong != null) {
        builders.get(i).refuse(wrong);
      }
      states.end(i, wrong == null && !executionFailed && !builders.get(i).hasFailed());
    }
    states.endExecution();
  }
}
