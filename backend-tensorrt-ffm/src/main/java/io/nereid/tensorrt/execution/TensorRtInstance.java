package io.nereid.tensorrt.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.signature.Profiles;
import io.nereid.tensorrt.signature.SignatureCheck;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a model on a GPU: an execution context for each of its profiles, and two sets of
 * buffers for batches in flight.
 *
 * <pre>
 * copies in    a  b     c
 * compute         a  b     c        b is copied while a computes, a's outputs while b computes
 * copies out         a  b     c
 * </pre>
 *
 * Each of the three is a stream. Events order the work of a batch across them: {@code inputsReady},
 * {@code computed}, {@code finished} ({@link BatchBuffers}). The thread waits for {@code finished}
 * only. A buffer is used again once its batch is finished, so no stream waits for a later batch.
 *
 * <p>If anything fails between start and finish, the instance waits for its streams before it
 * releases what the batch has used.
 */
public final class TensorRtInstance implements PipelinedInstance {
  private static final System.Logger LOG = System.getLogger(TensorRtInstance.class.getName());
  private static final int DEPTH = 2;

  private final ModelConfig config;
  private final InstanceSettings settings;
  private final CudaDevice device;
  private final DeviceFailures failures;
  private final boolean eager;
  private final @Nullable Lock enqueueLock;
  private final ResourceStack resources;
  private final InstanceStreams streams;
  private final ProfileContexts contexts;
  private final DeviceInputs inputs;
  private final InputCopies copies;
  private final BatchOutputs outputs;
  private final Deque<BatchBuffers> free = new ArrayDeque<>(DEPTH);
  private final Deque<BatchBuffers> inFlight = new ArrayDeque<>(DEPTH);

  /**
   * Opens an instance. The device of {@code shared} becomes that of the calling thread.
   *
   * @throws InferenceException if the configuration does not fit the profiles, or the device cannot
   *     run another instance
   */
  public static TensorRtInstance open(
      ModelConfig config,
      InstanceSettings settings,
      ExecutionSettings execution,
      SharedResources shared) {
    var resources = new ResourceStack();
    try {
      shared.device().use();
      return new TensorRtInstance(config, settings, execution, shared, resources);
    } catch (RuntimeException failure) {
      closeAfter(failure, resources);
      throw new DeviceFailures(config.name(), shared.device()).of(failure);
    }
  }

  private static void closeAfter(RuntimeException failure, ResourceStack resources) {
    try {
      resources.close();
    } catch (RuntimeException secondary) {
      failure.addSuppressed(secondary);
    }
  }

  /** Adds what it opens to {@code resources}, which the caller closes if this fails. */
  private TensorRtInstance(
      ModelConfig config,
      InstanceSettings settings,
      ExecutionSettings execution,
      SharedResources shared,
      ResourceStack resources) {
    this.config = config;
    this.settings = settings;
    this.resources = resources;
    this.device = shared.device();
    this.failures = new DeviceFailures(config.name(), shared.device());
    this.eager = execution.optimization().eagerBatching();
    this.enqueueLock = shared.enqueueLock();
    Profiles profiles = Profiles.of(shared.plan(), config, settings.profiles());
    new SignatureCheck(shared.plan(), config).checkRanges(profiles.numbers());
    this.streams =
        InstanceStreams.open(shared.device(), execution.optimization().priority(), resources);
    CudaStream compute = streams.compute();
    var pool = DeviceMemoryPool.create(shared.device());
    resources.add(pool::close);
    resources.add(compute::synchronize); // buffers are freed in its order
    var arena = Arena.ofShared();
    resources.add(arena::close);
    List<EngineInput> engineInputs = EngineInput.of(shared.plan(), config);
    List<EngineOutput> engineOutputs = EngineOutput.of(shared.plan(), config);
    this.contexts = new ProfileContexts(config, profiles, engineInputs, engineOutputs);
    contexts.open(settings.name(), execution, shared, compute, resources);
    compute.synchronize(); // the profiles are set
    this.inputs = new DeviceInputs(config, engineInputs);
    this.copies = new InputCopies(inputs, engineInputs, execution, shared.pinned());
    this.outputs = new BatchOutputs(config, engineOutputs, execution, shared.outputPool());
    var memory = new BatchBuffers.Memory(pool, shared.pinned(), arena, shared.usage());
    for (int i = 0; i < DEPTH; i++) {
      free.add(
          BatchBuffers.open(
              engineInputs,
              engineOutputs,
              memory,
              execution.cuda().busyWaitEvents(),
              compute,
              resources));
    }
    resources.add(streams::synchronize);
  }

  @Override
  public int depth() {
    return DEPTH;
  }

  @Override
  public void start(Batch batch, Results results) {
    BatchBuffers buffers = free.remove();
    buffers.begin(batch, results);
    try {
      failures.requireHealthy();
      device.use(); // a failure while another device was current may have left that one
      start(buffers, batch, results);
    } catch (RuntimeException failure) {
      abandon(buffers);
      throw failures.of(failure);
    } catch (Error failure) {
      abandon(buffers);
      throw failure;
    }
    inFlight.add(buffers);
  }

  private void start(BatchBuffers buffers, Batch batch, Results results) {
    requireAdmittedSize(batch);
    requireWanted(batch);
    inputs.read(batch, results);
    buffers.rows = inputs.rows();
    ProfileContext context = contexts.choose(inputs, buffers);
    Lock lock = enqueueLock;
    if (lock == null) {
      enqueue(context, buffers, batch);
      return;
    }
    lock.lock();
    try {
      enqueue(context, buffers, batch);
    } finally {
      lock.unlock();
    }
  }

  private void enqueue(ProfileContext context, BatchBuffers buffers, Batch batch) {
    buffers.used = true;
    copies.enqueue(buffers, streams.copyIn());
    inputs.forget();
    requireWanted(batch);
    CudaStream compute = streams.compute();
    compute.await(buffers.inputsReady);
    buffers.began.record(compute);
    context.run(inputs, buffers, buffers.replayable);
    buffers.computed.record(compute);
    streams.copyOut().await(buffers.computed);
    outputs.copy(buffers, streams.copyOut());
    buffers.finished.record(streams.copyOut());
  }

  private void requireAdmittedSize(Batch batch) {
    long rows = batch.rows();
    if (rows != 1 && rows > config.maxBatchSize()) {
      throw InferenceException.internal(
          "batch size %d for '%s', max allowed is %d"
              .formatted(rows, config.name(), config.maxBatchSize()));
    }
  }

  /** Stops a batch for which no client waits. */
  private static void requireWanted(Batch batch) {
    if (batch.isCancelled()) {
      throw InferenceException.cancelled();
    }
  }

  @Override
  public boolean canStart() {
    BatchBuffers last = inFlight.peekLast();
    return eager || last == null || isOver(last.consumed);
  }

  @Override
  public boolean isFinished() {
    BatchBuffers oldest = inFlight.peekFirst();
    return oldest == null || isOver(oldest.finished);
  }

  /** Whether an event is complete; true too if the device has failed, which the next call tells. */
  private static boolean isOver(CudaEvent event) {
    try {
      return event.isComplete();
    } catch (CudaException _) {
      return true;
    }
  }

  @Override
  public void finish() {
    BatchBuffers buffers = inFlight.remove();
    try {
      buffers.finished.synchronize();
      requireWanted(buffers.batch());
      buffers.results().computed(buffers.inferNanos(), buffers.outputNanos());
      outputs.deliver(buffers, streams.late());
    } catch (RuntimeException failure) {
      abandon(buffers);
      throw failures.of(failure);
    } catch (Error failure) {
      abandon(buffers);
      throw failure;
    }
    release(buffers);
  }

  /** Releases the buffers of a batch that has failed, once no stream uses its memory any more. */
  private void abandon(BatchBuffers buffers) {
    inputs.forget();
    if (buffers.used) {
      try {
        streams.synchronize();
      } catch (CudaException failed) {
        failures.streamsFailed(failed);
      }
    }
    release(buffers);
  }

  private void release(BatchBuffers buffers) {
    buffers.end();
    free.add(buffers);
  }

  @Override
  public boolean isHealthy() {
    return failures.isHealthy();
  }

  @Override
  public Optional<String> failureReason() {
    return failures.failure().map(InferenceException::getMessage);
  }

  @Override
  public void close() {
    try {
      resources.close();
    } catch (RuntimeException failed) {
      LOG.log(
          System.Logger.Level.WARNING,
          "instance %s is closed with failures".formatted(settings.name()),
          failed);
    }
  }
}
