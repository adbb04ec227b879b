package io.nereid.engine.execution.sequence;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Zeroed memory that any number of tensors share. Used by the instance's thread. */
public final class ZeroMemory implements AutoCloseable {
  private final BufferPool pool;
  private @Nullable Lease lease;

  public ZeroMemory(BufferPool pool) {
    this.pool = pool;
  }

  /** A tensor of that name, type and shape, of zeros or of elements of length 0. */
  public Tensor like(Tensor other) {
    int elementByteSize =
        other.dataType().hasFixedSize() ? other.dataType().byteSize() : BytesElements.PREFIX;
    long byteSize = Math.multiplyExact(other.shape().elementCount(), (long) elementByteSize);
    return new Tensor(other.name(), other.dataType(), other.shape(), zeros(byteSize));
  }

  /** Whether a tensor was created here and its memory has not been replaced since. */
  boolean holds(Tensor tensor) {
    return lease != null && tensor.data().address() == lease.segment().address();
  }

  private MemorySegment zeros(long byteSize) {
    if (lease == null || lease.segment().byteSize() < byteSize) {
      close();
      lease = pool.lease(byteSize);
      lease.segment().fill((byte) 0);
    }
    return lease.segment().asSlice(0, byteSize);
  }

  @Override
  public void close() {
    if (lease != null) {
      lease.close();
      lease = null;
    }
  }
}
