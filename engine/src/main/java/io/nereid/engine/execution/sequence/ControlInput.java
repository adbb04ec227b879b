package io.nereid.engine.execution.sequence;

import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.PendingRequest;
import io.nereid.request.SequenceId;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A control input of a sequence model: one element per row, written by the server. The two values
 * of a flag are written once; an id is written for each batch. Used by the instance's thread. See
 * "control_input" in Triton's {@code model_config.proto}.
 */
public final class ControlInput implements AutoCloseable {
  /** The distance of two values, so that each is aligned like a tensor of its own. */
  private static final long STRIDE = BufferPool.ALIGNMENT;

  /** The byte size of the longest id, 128 characters. */
  private static final long MAX_ID = BytesElements.PREFIX + 3 * 128;

  private final Control control;
  private final boolean batches;
  private final BufferPool pool;

  /** The two values of a flag, {@link #STRIDE} apart; for an id, the value of padding. */
  private @Nullable Lease values;

  private @Nullable Tensor whenFalse;
  private @Nullable Tensor whenTrue;
  private @Nullable Lease ids;

  public ControlInput(Control control, boolean batches, BufferPool pool) {
    this.control = control;
    this.batches = batches;
    this.pool = pool;
  }

  public String name() {
    return control.inputName();
  }

  /**
   * The input of one row.
   *
   * @param request null for padding
   * @param rows of the batch
   */
  public Tensor of(@Nullable PendingRequest request, int row, int rows) {
    if (isFlag() || request == null) {
      return value(isTrue(request));
    }
    long stride = control.dataType() == DataType.BYTES ? MAX_ID : STRIDE;
    MemorySegment memory = ids(rows * stride);
    long end = putId(memory, row * stride, request.sequenceId());
    return one(memory.asSlice(row * stride, end - row * stride));
  }

  /** The byte size of a row's element. */
  public long byteSize(@Nullable PendingRequest request) {
    return isFlag() || request == null || control.dataType().hasFixedSize()
        ? elementByteSize()
        : BytesElements.PREFIX + bytes(request.sequenceId()).length;
  }

  /** Writes a row's element into a column; returns the offset after it. */
  public long put(@Nullable PendingRequest request, MemorySegment column, long offset) {
    if (isFlag()) {
      putFlag(column, offset, isTrue(request) ? control.trueValue() : control.falseValue());
      return offset + elementByteSize();
    }
    return putId(column, offset, request == null ? SequenceId.NONE : request.sequenceId());
  }

  /** The input of all rows. */
  public Tensor column(int rows, MemorySegment data) {
    Shape shape = batches ? Shape.of(rows, 1) : Shape.of(rows);
    return new Tensor(name(), control.dataType(), shape, data);
  }

  private Tensor value(boolean isTrue) {
    if (whenFalse == null || whenTrue == null) {
      values = pool.lease(2 * STRIDE);
      MemorySegment memory = values.segment().fill((byte) 0);
      if (isFlag()) {
        putFlag(memory, 0, control.falseValue());
        putFlag(memory, STRIDE, control.trueValue());
      }
      whenFalse = one(memory.asSlice(0, elementByteSize()));
      whenTrue = one(memory.asSlice(STRIDE, elementByteSize()));
    }
    return isTrue ? whenTrue : whenFalse;
  }

  private boolean isFlag() {
    return control.kind() != Kind.CONTROL_SEQUENCE_CORRID;
  }

  private boolean isTrue(@Nullable PendingRequest request) {
    return request != null
        && switch (control.kind()) {
          case CONTROL_SEQUENCE_START -> request.sequenceStart();
          case CONTROL_SEQUENCE_END -> request.sequenceEnd();
          case CONTROL_SEQUENCE_READY -> true;
          case CONTROL_SEQUENCE_CORRID -> false;
        };
  }

  private int elementByteSize() {
    return control.dataType().hasFixedSize() ? control.dataType().byteSize() : BytesElements.PREFIX;
  }

  private void putFlag(MemorySegment target, long offset, double value) {
    switch (control.dataType()) {
      case FP32 -> target.set(Elements.FLOAT, offset, (float) value);
      case INT32 -> target.set(Elements.INT, offset, (int) value);
      default -> target.set(Elements.BYTE, offset, (byte) value); // BOOL
    }
  }

  /** Writes an id; of a number, as many low bytes as the control's type has. */
  private long putId(MemorySegment target, long offset, SequenceId id) {
    if (control.dataType() == DataType.BYTES) {
      return BytesElements.put(target, offset, bytes(id));
    }
    long number = id instanceof SequenceId.OfNumber known ? known.value() : 0;
    if (elementByteSize() == Long.BYTES) {
      target.set(Elements.LONG, offset, number);
    } else {
      target.set(Elements.INT, offset, (int) number);
    }
    return offset + elementByteSize();
  }

  private static byte[] bytes(SequenceId id) {
    return id.equals(SequenceId.NONE)
        ? new byte[0]
        : id.toString().getBytes(StandardCharsets.UTF_8);
  }

  private MemorySegment ids(long byteSize) {
    if (ids == null || ids.segment().byteSize() < byteSize) {
      if (ids != null) {
        ids.close();
        ids = null;
      }
      ids = pool.lease(byteSize);
    }
    return ids.segment();
  }

  private Tensor one(MemorySegment data) {
    return new Tensor(name(), control.dataType(), batches ? Shape.of(1, 1) : Shape.of(1), data);
  }

  @Override
  public void close() {
    if (values != null) {
      values.close();
    }
    if (ids != null) {
      ids.close();
    }
  }
}
