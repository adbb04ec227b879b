package io.nereid.tensorrt.execution;

import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.cuda.PinnedPool;
import io.nereid.tensorrt.signature.PlanTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What one batch in flight needs: buffers of its own for inputs and outputs, and events. An
 * instance has two, so that the inputs of a batch are copied while the batch before computes.
 *
 * <pre>
 * free ─begin▶ started ─end▶ free        end: once no stream uses them any more
 * </pre>
 */
final class BatchBuffers {
  /** The alignment that TensorRT asks for. */
  private static final long ALIGNMENT = 256;

  private static final int MAX_RANK = 8;

  /** By position among the inputs. Those of shape tensors stay empty. */
  final GrowingBuffer[] inputs;

  /** By position among the outputs. Those of shape tensors stay empty. */
  final GrowingBuffer[] outputs;

  /** By index of the tensor: the content of a shape tensor, in host memory. */
  final MemorySegment[] host;

  final StagingBuffer staging;

  /** The inputs are on the device. */
  final CudaEvent inputsReady;

  /** The engine has read the inputs. */
  final CudaEvent consumed;

  /** The engine begins. */
  final CudaEvent began;

  /** The engine has written the outputs. */
  final CudaEvent computed;

  /** The outputs are in host memory. */
  final CudaEvent finished;

  /** The dimensions of each output of this batch. */
  final long[][] outputDims;

  final int[] outputRanks;

  /** The page-locked memory that an output is copied to; null if it is copied when finished. */
  final PinnedPool.@Nullable Buffer[] leases;

  /** Whether a client or a state needs the output. */
  final boolean[] wanted;

  /** Whether it is copied when the batch is computed, for want of page-locked memory. */
  final boolean[] late;

  long rows;

  /** Whether this execution may become a graph. */
  boolean replayable;

  /** Whether work was enqueued that uses these buffers or memory of the batch. */
  boolean used;

  private final MemorySegment millis;
  private @Nullable Batch batch;
  private @Nullable Results results;

  private BatchBuffers(
      List<EngineInput> inputs, List<EngineOutput> outputs, Memory memory, CudaEvent[] events) {
    this.inputs = buffers(inputs.size(), memory);
    this.outputs = buffers(outputs.size(), memory);
    this.host = new MemorySegment[inputs.size() + outputs.size()];
    inputs.forEach(input -> hostMemory(input.tensor(), memory.arena()));
    outputs.forEach(output -> hostMemory(output.tensor(), memory.arena()));
    this.staging = new StagingBuffer(memory.pinned());
    this.inputsReady = events[0];
    this.consumed = events[1];
    this.began = events[2];
    this.computed = events[3];
    this.finished = events[4];
    this.millis = memory.arena().allocate(ValueLayout.JAVA_FLOAT);
    this.outputDims = new long[outputs.size()][MAX_RANK];
    this.outputRanks = new int[outputs.size()];
    this.leases = new PinnedPool.@Nullable Buffer[outputs.size()];
    this.wanted = new boolean[outputs.size()];
    this.late = new boolean[outputs.size()];
  }

  /**
   * Where the memory comes from.
   *
   * @param arena of the instance
   * @param usage bytes of device memory that the instance has allocated
   */
  record Memory(DeviceMemoryPool pool, PinnedMemory pinned, Arena arena, AtomicLong usage) {}

  /**
   * Opens the buffers of a batch; {@code resources} closes them.
   *
   * @param stream on which they are freed
   */
  static BatchBuffers open(
      List<EngineInput> inputs,
      List<EngineOutput> outputs,
      Memory memory,
      boolean busyWait,
      CudaStream stream,
      ResourceStack resources) {
    var events = new CudaEvent[5];
    for (int i = 0; i < events.length; i++) {
      CudaEvent event = CudaEvent.create(busyWait, i > 1);
      resources.add(event::close);
      events[i] = event;
    }
    var buffers = new BatchBuffers(inputs, outputs, memory, events);
    resources.add(buffers.staging::close);
    for (GrowingBuffer buffer : buffers.inputs) {
      resources.add(() -> buffer.free(stream));
    }
    for (GrowingBuffer buffer : buffers.outputs) {
      resources.add(() -> buffer.free(stream));
    }
    return buffers;
  }

  private static GrowingBuffer[] buffers(int count, Memory memory) {
    var buffers = new GrowingBuffer[count];
    for (int i = 0; i < count; i++) {
      buffers[i] = new GrowingBuffer(memory.pool(), memory.usage());
    }
    return buffers;
  }

  private void hostMemory(PlanTensor tensor, Arena arena) {
    host[tensor.index()] =
        tensor.shapeTensor()
            ? arena.allocate(tensor.dims().elementCount() * tensor.dataType().byteSize(), ALIGNMENT)
            : MemorySegment.NULL;
  }

  void begin(Batch batch, Results results) {
    this.batch = batch;
    this.results = results;
    this.used = false;
  }

  Batch batch() {
    if (batch == null) {
      throw new IllegalStateException("no batch was begun");
    }
    return batch;
  }

  Results results() {
    if (results == null) {
      throw new IllegalStateException("no batch was begun");
    }
    return results;
  }

  /** How long the engine has computed, on the device. */
  long inferNanos() {
    return nanos(began, computed);
  }

  /** How long the outputs were copied, on the device. */
  long outputNanos() {
    return nanos(computed, finished);
  }

  private long nanos(CudaEvent start, CudaEvent end) {
    return (long) (CudaEvent.millisBetween(start, end, millis) * 1e6);
  }

  /**
   * Ends the batch, of which no work is pending, and releases the outputs that were not given away.
   */
  void end() {
    batch = null;
    results = null;
    for (int i = 0; i < leases.length; i++) {
      PinnedPool.Buffer lease = leases[i];
      leases[i] = null;
      if (lease != null) {
        lease.close();
      }
    }
  }
}
