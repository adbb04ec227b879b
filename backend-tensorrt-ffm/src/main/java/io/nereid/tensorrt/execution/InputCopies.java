package io.nereid.tensorrt.execution;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.PinnedMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of the batch that is being started, on their way to the device.
 *
 * <p>A piece in page-locked memory is copied to its place in the device's buffer by itself. Small
 * pieces and those in other memory are gathered in the staging buffer, and each run of them is one
 * copy.
 */
final class InputCopies {
  private final DeviceInputs batch;
  private final List<EngineInput> inputs;
  private final ExecutionSettings settings;
  private final PinnedMemory pinned;

  /**
   * @param pinned what inputs may lie in already
   */
  InputCopies(
      DeviceInputs batch,
      List<EngineInput> inputs,
      ExecutionSettings settings,
      PinnedMemory pinned) {
    this.batch = batch;
    this.inputs = inputs;
    this.settings = settings;
    this.pinned = pinned;
  }

  /**
   * Enqueues the copies of the batch. Its tensors are read until {@code inputsReady} of the buffers
   * is complete.
   */
  void enqueue(BatchBuffers buffers, CudaStream stream) {
    buffers.staging.begin(stagedBytes());
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      switch (input.source()) {
        case ROWS, RAGGED -> copyPieces(input, buffers, stream);
        case COMPUTED -> copyComputed(input, buffers, stream);
        case SHAPE -> writeValues(input, buffers.host[input.tensor().index()]);
      }
    }
    buffers.inputsReady.record(stream);
  }

  private long stagedBytes() {
    long staged = 0;
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      staged +=
          switch (input.source()) {
            case ROWS, RAGGED -> stagedBytes(input);
            case COMPUTED -> batch.byteSize(input);
            case SHAPE -> 0;
          };
    }
    return staged;
  }

  private long stagedBytes(EngineInput input) {
    long staged = 0;
    for (int request = 0; request < batch.requests(); request++) {
      MemorySegment piece = batch.piece(input, request);
      staged += piece != null && isStaged(piece) ? piece.byteSize() : 0;
    }
    return staged;
  }

  private boolean isStaged(MemorySegment piece) {
    if (pinned.contains(piece)) {
      return settings.gathers(piece.byteSize(), batch.requests());
    }
    return settings.optimization().inputPinnedMemory() || !piece.isNative();
  }

  private void copyPieces(EngineInput input, BatchBuffers buffers, CudaStream stream) {
    long total = batch.byteSize(input);
    DeviceBuffer target = buffers.inputs[input.position()].require(total, stream);
    StagingBuffer staging = buffers.staging;
    long offset = 0; // in the target: what is before it has been copied or is in the run
    long run = 0; // bytes gathered in front of the offset
    int request = 0;
    while (request < batch.requests()) {
      MemorySegment piece = batch.piece(input, request);
      int next = request + 1;
      if (piece != null && isStaged(piece)) {
        staging.gather(piece);
        run += piece.byteSize();
        offset += piece.byteSize();
      } else {
        flush(staging, target, offset - run, run, stream);
        run = 0;
        if (piece == null) {
          long zeros = batch.rowSize(input) * batch.rowsOf(request);
          stream.fill(target, offset, zeros, (byte) 0);
          offset += zeros;
        } else {
          next = endOfAdjacent(input, request);
          MemorySegment joined = next == request + 1 ? piece : joined(input, request, next);
          stream.copyToDevice(target, offset, joined, joined.byteSize());
          offset += joined.byteSize();
        }
      }
      request = next;
    }
    flush(staging, target, offset - run, run, stream);
    stream.fill(target, offset, total - offset, (byte) 0); // the rows that a graph has in addition
  }

  /** Copies the last {@code byteSize} gathered bytes to the device. */
  private static void flush(
      StagingBuffer staging, DeviceBuffer target, long offset, long byteSize, CudaStream stream) {
    if (byteSize > 0) {
      stream.copyToDevice(target, offset, staging.last(byteSize), byteSize);
    }
  }

  /** The first request behind {@code request} whose piece is not copied together with it. */
  private int endOfAdjacent(EngineInput input, int request) {
    int end = request + 1;
    while (settings.coalesceInputs()
        && end < batch.requests()
        && follows(batch.piece(input, end - 1), batch.piece(input, end))
        && pinned.contains(joined(input, request, end + 1))) {
      end++;
    }
    return end;
  }

  private boolean follows(@Nullable MemorySegment before, @Nullable MemorySegment next) {
    return before != null
        && next != null
        && before.address() + before.byteSize() == next.address()
        && !isStaged(next);
  }

  /** The pieces from {@code first} to before {@code end}, which lie one behind the other. */
  private MemorySegment joined(EngineInput input, int first, int end) {
    MemorySegment start = batch.piece(input, first);
    MemorySegment last = batch.piece(input, end - 1);
    if (start == null || last == null) {
      throw new IllegalStateException("a request without a piece cannot be joined");
    }
    long byteSize = last.address() + last.byteSize() - start.address();
    // The pieces are alive until the batch ends, and nothing is copied unless one allocation of
    // page-locked memory contains all of them.
    return MemorySegment.ofAddress(start.address()).reinterpret(byteSize);
  }

  /** Copies a computed input, with what a graph for more rows reads behind it. */
  private void copyComputed(EngineInput input, BatchBuffers buffers, CudaStream stream) {
    MemorySegment piece = batch.piece(input, 0);
    if (piece == null) {
      throw new IllegalStateException("batch input was not read");
    }
    long total = batch.byteSize(input);
    DeviceBuffer target = buffers.inputs[input.position()].require(total, stream);
    buffers.staging.gather(piece);
    long rest = total - piece.byteSize();
    int size = input.elementSize();
    boolean repeated =
        input.padding() == EngineInput.Padding.LAST_ELEMENT && piece.byteSize() >= size;
    if (repeated) {
      MemorySegment last = piece.asSlice(piece.byteSize() - size);
      for (long padded = 0; padded < rest; padded += size) {
        buffers.staging.gather(last);
      }
    } else {
      buffers.staging.zeros(rest);
    }
    flush(buffers.staging, target, 0, total, stream);
  }

  private void writeValues(EngineInput input, MemorySegment host) {
    long[] values = batch.dims(input.position());
    for (int i = 0; i < batch.rank(input.position()); i++) {
      if (input.tensor().dataType() == DataType.INT32) {
        host.set(Elements.INT, (long) i * Integer.BYTES, (int) values[i]);
      } else {
        host.set(Elements.LONG, (long) i * Long.BYTES, values[i]);
      }
    }
  }
}
