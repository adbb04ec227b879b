package io.nereid.tensorrt.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.cuda.Closing;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.PinnedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of batches, on their way from the device to the responses.
 *
 * <p>An output is copied into leased page-locked memory, which becomes part of the responses. If
 * there is none, because {@code output_pinned_memory} is off or the pool is at its limit, it is
 * copied into memory of the server once the batch has been computed, and the thread waits for it.
 */
final class BatchOutputs {
  private final ModelConfig config;
  private final List<EngineOutput> outputs;
  private final PinnedPool pool;
  private final boolean usesPinnedMemory;

  /** The shape that each output had last. */
  private final @Nullable Shape[] shapes;

  BatchOutputs(
      ModelConfig config, List<EngineOutput> outputs, ExecutionSettings settings, PinnedPool pool) {
    this.config = config;
    this.outputs = outputs;
    this.pool = pool;
    this.usesPinnedMemory = settings.optimization().outputPinnedMemory();
    this.shapes = new Shape[outputs.size()];
  }

  /**
   * Enqueues the copies of the outputs that are needed into page-locked memory.
   *
   * @param stream ordered behind the computation
   */
  void copy(BatchBuffers buffers, CudaStream stream) {
    for (int i = 0; i < outputs.size(); i++) {
      EngineOutput output = outputs.get(i);
      boolean wanted = output.config().isPresent() && buffers.results().wants(output.name());
      buffers.late[i] = false;
      buffers.wanted[i] = wanted || output.state().isPresent();
      if (buffers.wanted[i] && !output.tensor().shapeTensor()) {
        dropRowsBehindTheBatch(output, buffers);
        long byteSize = byteSize(output, buffers);
        PinnedPool.Buffer lease = usesPinnedMemory ? pool.tryLease(byteSize) : null;
        buffers.leases[i] = lease;
        buffers.late[i] = lease == null;
        if (lease != null && byteSize > 0) {
          buffers.outputs[i].copyToHost(lease.memory(), byteSize, stream);
        }
      }
    }
  }

  /** A graph may compute more rows than the batch has. */
  private void dropRowsBehindTheBatch(EngineOutput output, BatchBuffers buffers) {
    if (output.rows()) {
      long[] dims = buffers.outputDims[output.position()];
      if (buffers.outputRanks[output.position()] == 0 || dims[0] < buffers.rows) {
        throw InferenceException.internal(
            "model '%s', output '%s': %d rows were run, but its shape is %s"
                .formatted(config.name(), output.name(), buffers.rows, shape(output, buffers)));
      }
      dims[0] = buffers.rows;
    }
  }

  private static long byteSize(EngineOutput output, BatchBuffers buffers) {
    int position = output.position();
    return ProfileContext.byteSize(
        buffers.outputDims[position], buffers.outputRanks[position], output.dataType().byteSize());
  }

  /**
   * Adds the outputs of a computed batch to its results, and the states to their sequences.
   *
   * @param stream for copies that were not enqueued before
   */
  void deliver(BatchBuffers buffers, CudaStream stream) {
    boolean late = false;
    for (int i = 0; i < outputs.size(); i++) {
      EngineOutput output = outputs.get(i);
      if (buffers.wanted[i]) {
        PinnedPool.Buffer lease = buffers.leases[i];
        late |= buffers.late[i];
        if (output.tensor().shapeTensor()) {
          deliverValues(output, buffers);
        } else if (lease != null) {
          deliver(output, buffers, lease);
        }
      }
    }
    if (late) {
      deliverLate(buffers, stream);
    }
  }

  private void deliver(EngineOutput output, BatchBuffers buffers, PinnedPool.Buffer lease) {
    MemorySegment data = lease.memory().asSlice(0, byteSize(output, buffers));
    commit(output, buffers, data);
    if (isAsked(output, buffers.results())) {
      buffers.leases[output.position()] = null; // the results release it, whatever happens
      buffers
          .results()
          .giveBatch(
              new Tensor(output.name(), output.dataType(), shown(output, buffers), data),
              lease::close);
    }
  }

  private void deliverLate(BatchBuffers buffers, CudaStream stream) {
    try (var arena = Arena.ofConfined()) {
      var targets = new @Nullable MemorySegment[outputs.size()];
      copyLate(buffers, stream, arena, targets);
      for (int i = 0; i < targets.length; i++) {
        MemorySegment target = targets[i];
        if (target != null) {
          commit(outputs.get(i), buffers, target);
        }
      }
    }
  }

  /** Copies outputs into host memory, and waits for the copies even if one fails. */
  private void copyLate(
      BatchBuffers buffers, CudaStream stream, Arena arena, @Nullable MemorySegment[] targets) {
    try {
      for (int i = 0; i < targets.length; i++) {
        if (buffers.late[i]) {
          EngineOutput output = outputs.get(i);
          long byteSize = byteSize(output, buffers);
          MemorySegment target =
              isAsked(output, buffers.results())
                  ? buffers
                      .results()
                      .allocateBatch(output.name(), output.dataType(), shown(output, buffers))
                  : arena.allocate(byteSize);
          targets[i] = target;
          if (byteSize > 0) { // otherwise there may be no buffer
            buffers.outputs[i].copyToHost(target, byteSize, stream);
          }
        }
      }
    } catch (RuntimeException failure) {
      Closing.with(failure, stream::synchronize);
      throw failure;
    }
    stream.synchronize();
  }

  private static boolean isAsked(EngineOutput output, Results results) {
    return output.config().isPresent() && results.wants(output.name());
  }

  /** The shape of an output; the same object as for the batch before if it has not changed. */
  private Shape shape(EngineOutput output, BatchBuffers buffers) {
    int position = output.position();
    long[] dims = buffers.outputDims[position];
    int rank = buffers.outputRanks[position];
    Shape last = shapes[position];
    if (last != null && isEqual(last, dims, rank)) {
      return last;
    }
    Shape changed = Shape.of(Arrays.copyOf(dims, rank));
    shapes[position] = changed;
    return changed;
  }

  private static boolean isEqual(Shape shape, long[] dims, int rank) {
    boolean equal = shape.rank() == rank;
    for (int axis = 0; axis < rank && equal; axis++) {
      equal = shape.dim(axis) == dims[axis];
    }
    return equal;
  }

  private Shape shown(EngineOutput output, BatchBuffers buffers) {
    return output.shown(shape(output, buffers));
  }

  /** Copies the rows of each request to the state of its sequence. */
  private void commit(EngineOutput output, BatchBuffers buffers, MemorySegment data) {
    if (output.state().isEmpty()) {
      return;
    }
    var state = output.state().get();
    var batch = buffers.batch();
    Shape whole = shape(output, buffers);
    long perRow = data.byteSize() / Math.max(1, config.batches() ? buffers.rows : 1);
    long offset = 0;
    for (int i = 0; i < batch.size(); i++) {
      long rows = config.batches() ? batch.request(i).rows(config) : 1;
      long byteSize = rows * perRow;
      if (!batch.isPadding(i)) { // which has no sequence
        Shape own = config.batches() ? whole.withFirst(rows) : whole;
        // Configurations have no scalars: they declare one element.
        Shape shown = own.rank() == 0 ? state.dims() : own;
        MemorySegment target =
            buffers
                .results()
                .allocateState(i, state.outputName(), state.dataType(), shown, byteSize);
        Elements.copy(data.asSlice(offset, byteSize), target);
      }
      offset += byteSize;
    }
  }

  /**
   * Adds the values of a shape tensor to each request that asked for them, for each of its rows.
   * The first value is the batch size if the model batches, and is left out.
   */
  private void deliverValues(EngineOutput output, BatchBuffers buffers) {
    MemorySegment values = buffers.host[output.tensor().index()];
    boolean batched = config.batches() && output.tensor().dims().rank() > 0;
    int size = output.dataType().byteSize();
    if (batched && values.get(Elements.LONG, 0) != buffers.rows) {
      throw InferenceException.internal(
          "model '%s', shape output '%s': %d rows were run, but the first value is %d"
              .formatted(config.name(), output.name(), buffers.rows, values.get(Elements.LONG, 0)));
    }
    MemorySegment shown = values.asSlice(batched ? size : 0);
    long count = shown.byteSize() / size;
    var results = buffers.results();
    for (int i = 0; i < buffers.batch().size(); i++) {
      if (results.wants(i, output.name())) {
        long rows = batched ? buffers.batch().request(i).rows(config) : 1;
        Shape shape = batched ? Shape.of(rows, count) : Shape.of(count);
        MemorySegment target =
            results.allocate(i, output.name(), output.dataType(), shape, rows * shown.byteSize());
        for (long row = 0; row < rows; row++) {
          MemorySegment.copy(shown, 0, target, row * shown.byteSize(), shown.byteSize());
        }
      }
    }
  }
}
