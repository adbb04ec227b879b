package io.nereid.tensorrt.execution;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.PinnedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of the batch that is being started: their shapes, and their way to the device.
 *
 * <p>An input is as many <em>pieces</em> as the batch has requests. A piece in page-locked memory
 * is copied to its place in the device's buffer by itself. Small pieces and those in other memory
 * are gathered in the slot's staging buffer, and each run of them is one copy.
 *
 * <p>A request that lacks an input, or has one of another shape than the first, fails alone: the
 * engine gets zeros in its rows.
 */
final class BatchInputs {
  private static final int MAX_RANK = 8;

  private final ModelConfig config;
  private final List<EngineInput> inputs;
  private final ExecutionSettings settings;
  private final PinnedMemory pinned;

  /** The dimensions of each input in the engine; of a shape tensor its values. */
  private final long[][] dims;

  private final int[] ranks;

  /** By input, then by request; null for a request that has failed. */
  private @Nullable MemorySegment[] pieces = new MemorySegment[0];

  /** By request: whether it has failed. */
  private boolean[] failed = new boolean[0];

  private int requests;
  private long rows;

  BatchInputs(
      ModelConfig config,
      List<EngineInput> inputs,
      ExecutionSettings settings,
      PinnedMemory pinned) {
    this.config = config;
    this.inputs = inputs;
    this.settings = settings;
    this.pinned = pinned;
    this.dims = new long[inputs.size()][];
    for (EngineInput input : inputs) {
      boolean values = input.source() == EngineInput.Source.SHAPE;
      dims[input.position()] =
          new long[values ? (int) Math.max(1, input.dims().elementCount()) : MAX_RANK];
    }
    this.ranks = new int[inputs.size()];
  }

  /** The number of inputs. */
  int count() {
    return inputs.size();
  }

  /** The dimensions of an input, or the values of a shape tensor; {@link #rank} of them count. */
  long[] dims(int input) {
    return dims[input];
  }

  int rank(int input) {
    return ranks[input];
  }

  /** The rows of all requests; 1 if the model does not batch. */
  long rows() {
    return rows;
  }

  /**
   * Reads the shapes of a batch, and remembers where its content lies until {@link #forget}.
   *
   * @throws InferenceException if no request of the batch can be executed
   */
  void read(Batch batch, Results results) {
    requests = batch.size();
    rows = config.batches() ? batch.rows() : 1;
    if (pieces.length < inputs.size() * requests) {
      pieces = new MemorySegment[inputs.size() * requests];
    }
    if (failed.length < requests) {
      failed = new boolean[requests];
    }
    Arrays.fill(failed, 0, requests, false);
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      switch (input.source()) {
        case ROWS -> readRows(input, batch, results);
        case RAGGED -> readRagged(input, batch, results);
        case COMPUTED -> readWhole(input, batch);
        case SHAPE -> readValues(input, batch);
      }
    }
  }

  /** Forgets the tensors of the batch. */
  void forget() {
    Arrays.fill(pieces, null);
  }

  private void readRows(EngineInput input, Batch batch, Results results) {
    Shape first = null;
    for (int i = 0; i < requests; i++) {
      Tensor tensor = batch.input(i, input.name()).orElse(null);
      if (tensor == null) {
        fail(i, results, missing(input));
      } else if (first == null) {
        first = tensor.shape();
      } else if (!sameRows(first, tensor.shape())) {
        fail(i, results, misshapen(input, tensor.shape(), first));
        tensor = null;
      }
      pieces[index(input, i)] = tensor == null ? null : tensor.data();
    }
    if (first == null) {
      throw missing(input);
    }
    setRowDims(input, first);
    long rowSize = byteSize(input) / Math.max(1, rows);
    long sum = 0;
    for (int i = 0; i < requests; i++) {
      sum += pieceSize(input, i, batch, rowSize);
    }
    if (sum != byteSize(input)) {
      throw InferenceException.internal(
          "model '%s', input '%s': %d rows of shape %s, but %d bytes"
              .formatted(config.name(), input.name(), rows, first, sum));
    }
  }

  private static boolean sameRows(Shape first, Shape other) {
    boolean same = first.rank() == other.rank();
    for (int axis = 1; axis < first.rank() && same; axis++) {
      same = first.dim(axis) == other.dim(axis);
    }
    return same;
  }

  private void setRowDims(EngineInput input, Shape shape) {
    long[] target = dims[input.position()];
    int rank = input.rank();
    ranks[input.position()] = rank;
    for (int axis = 0; axis < rank; axis++) {
      // Controls are one element per row, and configurations have one element for a scalar.
      target[axis] = shape.rank() == rank ? shape.dim(axis) : 1;
    }
    if (config.batches()) {
      target[0] = rows;
    }
  }

  /** The bytes of a request's rows, which are zeros if it has failed. */
  private long pieceSize(EngineInput input, int request, Batch batch, long rowSize) {
    MemorySegment piece = pieces[index(input, request)];
    if (piece != null) {
      return piece.byteSize();
    }
    return rowSize * (config.batches() ? batch.request(request).rows(config) : 1);
  }

  private void readRagged(EngineInput input, Batch batch, Results results) {
    long elements = 0;
    boolean any = false;
    for (int i = 0; i < requests; i++) {
      Tensor tensor = batch.input(i, input.name()).orElse(null);
      if (tensor == null) {
        fail(i, results, missing(input));
      } else {
        any = true;
        elements += tensor.shape().elementCount();
      }
      pieces[index(input, i)] = tensor == null ? MemorySegment.NULL : tensor.data();
    }
    if (!any) {
      throw missing(input);
    }
    dims[input.position()][0] = elements;
    ranks[input.position()] = 1;
  }

  private void readWhole(EngineInput input, Batch batch) {
    Tensor tensor = batch.gathered(input.name()).orElseThrow(() -> missing(input));
    int position = input.position();
    ranks[position] = tensor.shape().rank();
    for (int axis = 0; axis < ranks[position]; axis++) {
      dims[position][axis] = tensor.shape().dim(axis);
    }
    pieces[index(input, 0)] = tensor.data();
  }

  /** Reads the values of a shape tensor; the first is the batch size if the model batches. */
  private void readValues(EngineInput input, Batch batch) {
    Tensor tensor = batch.gathered(input.name()).orElseThrow(() -> missing(input));
    int position = input.position();
    int first = config.batches() && input.rank() > 0 ? 1 : 0;
    long count = tensor.byteSize() / input.elementSize() + first;
    if (count != dims[position].length) {
      throw InferenceException.invalid(
          ("model '%s', input '%s': mismatch between the number of shape values. Expecting %d. Got"
                  + " %d")
              .formatted(config.name(), input.name(), dims[position].length, count));
    }
    ranks[position] = (int) count;
    dims[position][0] = rows;
    for (int i = first; i < count; i++) {
      dims[position][i] = value(tensor, i - first);
    }
  }

  private static long value(Tensor tensor, int index) {
    return tensor.dataType() == DataType.INT32
        ? tensor.data().get(Elements.INT, (long) index * Integer.BYTES)
        : tensor.data().get(Elements.LONG, (long) index * Long.BYTES);
  }

  private int index(EngineInput input, int request) {
    return input.position() * requests + request;
  }

  private InferenceException missing(EngineInput input) {
    return InferenceException.invalid(
        "model '%s': input '%s' is missing".formatted(config.name(), input.name()));
  }

  private InferenceException misshapen(EngineInput input, Shape shape, Shape first) {
    return InferenceException.invalid(
        "model '%s', input '%s': shape %s in a batch of shape %s"
            .formatted(config.name(), input.name(), shape, first));
  }

  /** Fails one request; if none is left, all of them. */
  private void fail(int request, Results results, InferenceException failure) {
    if (!failed[request]) {
      failed[request] = true;
      results.fail(request, failure);
    }
    for (int i = 0; i < requests; i++) {
      if (!failed[i]) {
        return;
      }
    }
    throw failure;
  }

  /** The bytes of an input in the engine. */
  private long byteSize(EngineInput input) {
    long elements = 1;
    for (int axis = 0; axis < ranks[input.position()]; axis++) {
      elements = Math.multiplyExact(elements, dims[input.position()][axis]);
    }
    return elements * input.elementSize();
  }

  /**
   * Enqueues the copies of the batch into a slot. The tensors of the batch are read until the
   * slot's {@code inputsReady} is complete.
   */
  void copy(Slot slot, CudaStream stream) {
    slot.staging.begin(stagedBytes());
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      switch (input.source()) {
        case ROWS, RAGGED -> copyPieces(input, slot, stream);
        case COMPUTED -> copyComputed(input, slot, stream);
        case SHAPE -> writeValues(input, slot.host[input.tensor().index()]);
      }
    }
    slot.inputsReady.record(stream);
  }

  private long stagedBytes() {
    long staged = 0;
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      switch (input.source()) {
        case ROWS, RAGGED -> {
          for (int request = 0; request < requests; request++) {
            MemorySegment piece = pieces[index(input, request)];
            staged += piece != null && isStaged(piece) ? piece.byteSize() : 0;
          }
        }
        case COMPUTED -> staged += byteSize(input);
        case SHAPE -> {}
      }
    }
    return staged;
  }

  private boolean isStaged(MemorySegment piece) {
    if (pinned.contains(piece)) {
      return settings.gathers(piece.byteSize(), requests);
    }
    return settings.optimization().inputPinnedMemory() || !piece.isNative();
  }

  private void copyPieces(EngineInput input, Slot slot, CudaStream stream) {
    long total = byteSize(input);
    DeviceBuffer target = slot.inputs[input.position()].require(total, stream);
    long rowSize = total / Math.max(1, config.batches() ? dims[input.position()][0] : 1);
    long offset = 0; // in the target: what is before it has been copied or is in the run
    long run = 0; // bytes gathered in front of the offset
    int request = 0;
    while (request < requests) {
      MemorySegment piece = pieces[index(input, request)];
      int next = request + 1;
      if (piece != null && isStaged(piece)) {
        gather(piece, slot.staging);
        run += piece.byteSize();
        offset += piece.byteSize();
      } else {
        flush(slot.staging, target, offset - run, run, stream);
        run = 0;
        if (piece == null) {
          long byteSize = rowSize * slot.batch().request(request).rows(config);
          stream.fill(target, offset, byteSize, (byte) 0);
          offset += byteSize;
        } else {
          next = adjacentEnd(input, request);
          MemorySegment joined = joined(input, request, next);
          stream.copyToDevice(target, offset, joined, joined.byteSize());
          offset += joined.byteSize();
        }
      }
      request = next;
    }
    flush(slot.staging, target, offset - run, run, stream);
    stream.fill(target, offset, total - offset, (byte) 0); // the rows that a graph has in addition
  }

  /** Copies a piece behind what the staging buffer has. */
  private static void gather(MemorySegment piece, StagingBuffer staging) {
    MemorySegment.copy(piece, 0, staging.memory(), staging.position(), piece.byteSize());
    staging.advance(piece.byteSize());
  }

  /** Copies the last {@code byteSize} gathered bytes to the device. */
  private static void flush(
      StagingBuffer staging, DeviceBuffer target, long offset, long byteSize, CudaStream stream) {
    if (byteSize > 0) {
      MemorySegment run = staging.memory().asSlice(staging.position() - byteSize, byteSize);
      stream.copyToDevice(target, offset, run, byteSize);
    }
  }

  /** The first request behind {@code request} whose piece does not follow that before it. */
  private int adjacentEnd(EngineInput input, int request) {
    int end = request + 1;
    while (settings.coalesceInputs() && end < requests) {
      MemorySegment before = pieces[index(input, end - 1)];
      MemorySegment next = pieces[index(input, end)];
      if (before == null
          || next == null
          || isStaged(next)
          || before.address() + before.byteSize() != next.address()
          || !pinned.contains(joined(input, request, end + 1))) {
        break;
      }
      end++;
    }
    return end;
  }

  /** The pieces from {@code first} to before {@code end}, which lie one behind the other. */
  private MemorySegment joined(EngineInput input, int first, int end) {
    MemorySegment start = pieces[index(input, first)];
    MemorySegment last = pieces[index(input, end - 1)];
    if (start == null || last == null) {
      throw new IllegalStateException("request has no piece");
    }
    if (end == first + 1) {
      return start;
    }
    long byteSize = last.address() + last.byteSize() - start.address();
    // The pieces are alive until the batch ends, and the caller checks that one allocation of
    // page-locked memory contains all of them.
    return MemorySegment.ofAddress(start.address()).reinterpret(byteSize);
  }

  /** Copies a computed input, with what a graph for more rows reads behind it. */
  private void copyComputed(EngineInput input, Slot slot, CudaStream stream) {
    MemorySegment piece = pieces[index(input, 0)];
    if (piece == null) {
      throw new IllegalStateException("batch input was not read");
    }
    long total = byteSize(input);
    DeviceBuffer target = slot.inputs[input.position()].require(total, stream);
    gather(piece, slot.staging);
    long rest = total - piece.byteSize();
    MemorySegment padding = slot.staging.memory().asSlice(slot.staging.position(), rest);
    int size = input.elementSize();
    if (input.padding() == EngineInput.Padding.LAST_ELEMENT && piece.byteSize() >= size) {
      for (long offset = 0; offset < rest; offset += size) {
        MemorySegment.copy(piece, piece.byteSize() - size, padding, offset, size);
      }
    } else {
      padding.fill((byte) 0);
    }
    slot.staging.advance(rest);
    flush(slot.staging, target, 0, total, stream);
  }

  private void writeValues(EngineInput input, MemorySegment host) {
    long[] values = dims[input.position()];
    for (int i = 0; i < ranks[input.position()]; i++) {
      if (input.tensor().dataType() == DataType.INT32) {
        host.set(Elements.INT, (long) i * Integer.BYTES, (int) values[i]);
      } else {
        host.set(Elements.LONG, (long) i * Long.BYTES, values[i]);
      }
    }
  }
}
