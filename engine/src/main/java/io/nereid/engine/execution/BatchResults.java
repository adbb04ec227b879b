package io.nereid.engine.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SharedLease;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
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
  private final boolean fillsOutputs;
  private final RequestBatch batch;
  private final BufferPool pool;
  private final ExecutionMeter meter;
  private final @Nullable SequenceTensors sequences;
  private final ResponseBuilders builders;

  /** Outputs that the backend allocated and no request wants; freed after the execution. */
  private final List<Lease> unwanted = new ArrayList<>(0);

  private boolean executionFailed;

  /** Whether the requests have ended. */
  private boolean delivered;

  /**
   * @param fillsOutputs whether the backend writes all memory of outputs, which is then not cleared
   * @param sequences null unless the model is a sequence model
   */
  BatchResults(
      ModelConfig config,
      DeclaredOutputs outputs,
      boolean fillsOutputs,
      RequestBatch batch,
      BufferPool pool,
      ExecutionMeter meter,
      @Nullable SequenceTensors sequences) {
    this.config = config;
    this.outputs = outputs;
    this.fillsOutputs = fillsOutputs;
    this.batch = batch;
    this.pool = pool;
    this.meter = meter;
    this.sequences = sequences;
    this.builders = new ResponseBuilders(outputs, config.decoupled(), meter, sequences);
  }

  /** Begins an execution; called after {@code begin} of the meter and the batch. */
  void begin() {
    executionFailed = false;
    delivered = false;
    builders.begin(batch.requests());
  }

  /** Drops the references to the requests; called last. */
  void end() {
    builders.end();
  }

  /** The builder of a request, for calls of the backend. */
  private ResponseBuilder builder(int index) {
    batch.requireOpen();
    return builders.get(index);
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
      clear(lease);
      addBatch(declared, new Tensor(output, dataType, shape, lease.segment()), lease::close);
    } else {
      unwanted.add(lease);
    }
    return lease.segment();
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    ResponseBuilder builder = builder(index);
    DeclaredOutput declared = checked(index, output, dataType, shape, byteSize);
    Lease lease = pool.lease(byteSize);
    if (declared != null && builder.wants(output)) {
      clear(lease);
      builder.add(
          declared.forClient(new Tensor(output, dataType, shape, lease.segment())), lease::close);
    } else if (builder.hasEnded()) {
      unwanted.add(lease);
    } else {
      builder.keep(lease::close); // the response frees it: a long execution may allocate many
    }
    return lease.segment();
  }

  /** Clears memory that may hold data of other requests, unless the backend writes all of it. */
  private void clear(Lease lease) {
    if (!fillsOutputs) {
      lease.segment().fill((byte) 0);
    }
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    Objects.requireNonNull(release);
    boolean added = false;
    try {
      ResponseBuilder builder = builder(index);
      DeclaredOutput declared =
          checked(index, output.name(), output.dataType(), output.shape(), output.byteSize());
      if (declared != null && builder.wants(output.name())) {
        InferenceException wrong = declared.checkMemory(output.data());
        if (wrong == null) {
          builder.add(declared.forClient(output), release);
          added = true;
        } else {
          builder.refuse(wrong);
        }
      }
    } finally {
      if (!added) {
        release.run();
      }
    }
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
   * Checks an output of one request, which fails if it is wrong. What is given for a request that
   * has ended, or for padding, is dropped and need not be right.
   *
   * @return null if the output is to be dropped
   */
  private @Nullable DeclaredOutput checked(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    ResponseBuilder builder = builders.get(index);
    if (builder.hasEnded() || builders.isPadding(index)) {
      return null;
    }
    DeclaredOutput declared = outputs.output(output);
    InferenceException wrong;
    if (declared == null) {
      wrong = outputs.undeclared(output);
    } else if (builder.holds(output)) {
      wrong = declared.givenTwice();
    } else {
      wrong = declared.check(dataType, shape, byteSize, builder.rows());
    }
    if (wrong == null) {
      return declared;
    }
    refuse(builder, wrong, byteSize);
    return null;
  }

  /** Fails a request for a wrong output; throws if there is no memory of that size for it. */
  private static void refuse(ResponseBuilder builder, InferenceException wrong, long byteSize) {
    builder.refuse(wrong);
    if (byteSize < 0) {
      throw wrong;
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
    if (builders.size() == 1 && isOfOne(declared, output)) {
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

  /** Whether an output belongs to the only request without a split. */
  private boolean isOfOne(DeclaredOutput declared, Tensor output) {
    return !config.batches()
        || (!declared.isScattered()
            && output.shape().rank() > 0
            && output.shape().dim(0) == builders.rows());
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
      refuse(builder, wrong, byteSize);
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
      throw new IllegalStateException(
          "model '%s' is not decoupled: each request gets one response".formatted(config.name()));
    }
    builder(index).finish();
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
