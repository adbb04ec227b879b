package io.nereid.server.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.SharedLease;
import io.nereid.server.request.Reshape;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of an execution, split among its requests. Each instance has one object, reused for
 * every batch between {@link #begin} and {@link #end}. Used by the instance's thread: the methods
 * of {@link Results} fail if another thread calls them, or after the batch has ended.
 */
final class BatchResults implements Results {
  private final ModelConfig config;
  private final RequestBatch batch;
  private final BufferPool pool;
  private final ExecutionMeter meter;
  private final @Nullable SequenceTensors sequences;
  private final ResponseBuilders builders;

  /** Outputs that the backend allocated and no request wants; freed after the execution. */
  private final List<Lease> unwanted = new ArrayList<>(0);

  private boolean executionFailed;

  /**
   * @param sequences null unless the model is a sequence model
   */
  BatchResults(
      ModelConfig config,
      RequestBatch batch,
      BufferPool pool,
      ExecutionMeter meter,
      @Nullable SequenceTensors sequences) {
    this.config = config;
    this.batch = batch;
    this.pool = pool;
    this.meter = meter;
    this.sequences = sequences;
    this.builders = new ResponseBuilders(config.decoupled(), meter, sequences);
  }

  /** Begins an execution; called after {@code begin} of the meter and the batch. */
  void begin() {
    executionFailed = false;
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
    Lease lease = pool.lease(byteSize(output, dataType, shape));
    if (wanted) {
      giveBatch(new Tensor(output, dataType, shape, lease.segment()), lease::close);
    } else {
      unwanted.add(lease);
    }
    return lease.segment();
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    ResponseBuilder builder = builder(index);
    Lease lease = pool.lease(byteSize);
    if (builder.wants(output)) {
      add(builder, new Tensor(output, dataType, shape, lease.segment()), lease::close);
    } else if (builder.hasEnded()) {
      unwanted.add(lease);
    } else {
      builder.keep(lease::close); // the response frees it: a long execution may allocate many
    }
    return lease.segment();
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    boolean wanted = false;
    try {
      wanted = wants(index, output.name());
    } finally {
      if (!wanted) {
        release.run();
      }
    }
    if (wanted) {
      add(builders.get(index), output, release);
    }
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    if (builders.size() == 1 && isOfOne(output)) {
      give(0, output, release);
      return;
    }
    var shared = new SharedLease(release);
    try {
      batch.requireOpen();
      var split = new OutputSplit(config, batch, builders, output);
      for (int i = 0; i < builders.size(); i++) {
        ResponseBuilder builder = builders.get(i);
        Tensor part = split.next();
        if (builder.wants(output.name())) {
          shared.retain();
          add(builder, part, shared);
        }
      }
    } finally {
      shared.release();
    }
  }

  /** Whether an output belongs to the only request without a split. */
  private boolean isOfOne(Tensor output) {
    return !config.batches()
        || (output.shape().rank() > 0
            && output.shape().dim(0) == builders.rows()
            && config.batchOutput(output.name()).isEmpty());
  }

  @Override
  public void parameter(int index, String name, Parameter value) {
    builder(index).parameter(name, value);
  }

  @Override
  public MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize) {
    batch.requireOpen();
    if (sequences == null) {
      throw SequenceTensors.unknownState(config, outputName);
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
    builder(index).fail(failure);
  }

  @Override
  public void reschedule(int index) {
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
    if (sequences != null) {
      endStates(sequences);
    }
    builders.endAll();
  }

  /** Counts the requests, and the execution if one of them succeeded. After {@link #deliver}. */
  void count(long rows) {
    if (builders.count()) {
      meter.count(rows);
    }
  }

  private void endStates(SequenceTensors states) {
    for (int i = 0; i < builders.size(); i++) {
      states.end(i, !executionFailed && !builders.get(i).hasFailed());
    }
    states.endExecution();
  }

  private static long byteSize(String output, DataType dataType, Shape shape) {
    if (!dataType.hasFixedSize()) {
      throw new IllegalArgumentException(
          "output '%s': the size of %s data does not follow from its shape"
              .formatted(output, dataType));
    }
    return Math.multiplyExact(shape.elementCount(), (long) dataType.byteSize());
  }

  /** Adds an output in the shape that clients see; releases it if it cannot be reshaped. */
  private void add(ResponseBuilder builder, Tensor output, Runnable release) {
    Tensor seen;
    try {
      seen = forClient(output);
    } catch (RuntimeException misshapen) {
      release.run();
      throw misshapen;
    }
    builder.add(seen, release);
  }

  private Tensor forClient(Tensor output) {
    Optional<TensorConfig> declared = config.output(output.name());
    Optional<Shape> reshape = declared.flatMap(TensorConfig::reshape);
    if (reshape.isEmpty()) {
      return output;
    }
    Shape seen =
        Reshape.apply(reshape.get(), declared.get().dims(), output.shape(), config.batches());
    return new Tensor(output.name(), output.dataType(), seen, output.data());
  }
}
