package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Device memory outside a pool, which can be shared with other processes: allocated here, or
 * allocated by another process and opened by {@link CudaIpc}. Thread-safe.
 */
public final class DeviceMemory implements AutoCloseable {
  private final CudaDevice device;
  private final DeviceBuffer buffer;
  private final boolean opened;

  private DeviceMemory(CudaDevice device, MemorySegment pointer, long byteSize, boolean opened) {
    this.device = device;
    this.buffer = DeviceBuffer.borrowed(device, pointer, byteSize);
    this.opened = opened;
  }

  /** Allocates memory on a device. */
  public static DeviceMemory allocate(CudaDevice device, long byteSize) {
    return device.whileCurrent(
        () -> {
          try (var arena = Arena.ofConfined()) {
            var pointer = arena.allocate(ValueLayout.ADDRESS);
            device.check("cudaMalloc", Cudart.cudaMalloc(pointer, Math.max(1, byteSize)));
            return new DeviceMemory(device, pointer, byteSize, false);
          }
        },
        DeviceMemory::close);
  }

  /** Owns memory that {@code cudaIpcOpenMemHandle} has opened. */
  static DeviceMemory opened(CudaDevice device, MemorySegment pointer, long byteSize) {
    return new DeviceMemory(device, pointer, byteSize, true);
  }

  public CudaDevice device() {
    return device;
  }

  /** The memory, valid until {@link #close}. */
  public DeviceBuffer buffer() {
    return buffer;
  }

  /**
   * Frees the memory, or closes memory of another process. No work that uses it may be pending. Has
   * no effect if it is closed.
   */
  @Override
  public void close() {
    MemorySegment pointer = buffer.end();
    if (pointer == null) {
      return;
    }
    if (opened) {
      device.checkDestroyed("cudaIpcCloseMemHandle", Cudart.cudaIpcCloseMemHandle(pointer));
    } else {
      device.checkDestroyed("cudaFree", Cudart.cudaFree(pointer));
    }
  }
}
