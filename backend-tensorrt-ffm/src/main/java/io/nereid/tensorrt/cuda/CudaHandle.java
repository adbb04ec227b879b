package io.nereid.tensorrt.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The pointer to an object of CUDA, until the object is destroyed. Every native call gets its
 * pointer from {@link #get}, so that a destroyed object never reaches CUDA. Thread-safe.
 */
final class CudaHandle {
  private final String kind;
  private volatile @Nullable MemorySegment pointer;

  /**
   * @param kind what the object is, for messages
   * @param pointer where a function of CUDA has written the pointer
   */
  CudaHandle(String kind, MemorySegment pointer) {
    this.kind = kind;
    this.pointer = pointerAt(pointer);
  }

  /** The pointer that a function wrote to {@code output}, as a segment of no length. */
  static MemorySegment pointerAt(MemorySegment output) {
    return MemorySegment.ofAddress(output.get(ValueLayout.JAVA_LONG, 0));
  }

  /**
   * The pointer, for one native call.
   *
   * @throws IllegalStateException if the object has been destroyed
   */
  MemorySegment get() {
    MemorySegment current = pointer;
    if (current == null) {
      throw new IllegalStateException(kind + " is closed");
    }
    return current;
  }

  /** The pointer for the caller to destroy; null if another caller has taken it before. */
  synchronized @Nullable MemorySegment take() {
    MemorySegment current = pointer;
    pointer = null;
    return current;
  }
}
