package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A range of device memory. It is not a {@link MemorySegment}, so that Java code cannot read it. A
 * buffer of a {@link DeviceMemoryPool} is owned and freed by its holder; the buffer of a {@link
 * DeviceMemory} is borrowed.
 */
public final class DeviceBuffer {
  private final CudaDevice device;
  private final CudaHandle handle;
  private final long byteSize;
  private final boolean pooled;

  private DeviceBuffer(CudaDevice device, MemorySegment pointer, long byteSize, boolean pooled) {
    this.device = device;
    this.handle = new CudaHandle("device buffer", pointer);
    this.byteSize = byteSize;
    this.pooled = pooled;
  }

  /** A buffer that its holder frees. */
  static DeviceBuffer ofPool(CudaDevice device, MemorySegment pointer, long byteSize) {
    return new DeviceBuffer(device, pointer, byteSize, true);
  }

  /** A buffer that is valid until its {@link DeviceMemory} is closed. */
  static DeviceBuffer borrowed(CudaDevice device, MemorySegment pointer, long byteSize) {
    return new DeviceBuffer(device, pointer, byteSize, false);
  }

  public CudaDevice device() {
    return device;
  }

  public long byteSize() {
    return byteSize;
  }

  /**
   * The address on the device, for native calls only: the segment has no length. At least one byte
   * is allocated, so it is never null.
   *
   * @throws IllegalStateException if the memory has been freed
   */
  public MemorySegment address() {
    return handle.get();
  }

  /** The address of the byte at {@code offset}, which the caller has checked. */
  MemorySegment address(long offset) {
    MemorySegment start = handle.get();
    return offset == 0 ? start : MemorySegment.ofAddress(start.address() + offset);
  }

  /**
   * Frees the memory once {@code stream} has executed what is enqueued on it now. Has no effect if
   * it has been freed.
   *
   * @param stream ordered after every use of the buffer
   * @throws IllegalStateException if the buffer is borrowed
   */
  public void free(CudaStream stream) {
    if (!pooled) {
      throw new IllegalStateException("a borrowed device buffer is freed by its owner");
    }
    MemorySegment queue = stream.handle();
    MemorySegment pointer = handle.take();
    if (pointer != null) {
      device.checkDestroyed("cudaFreeAsync", Cudart.cudaFreeAsync(pointer, queue));
    }
  }

  /** Ends the use of a borrowed buffer; the pointer is for its owner, null if it has ended. */
  @Nullable MemorySegment end() {
    return handle.take();
  }
}
