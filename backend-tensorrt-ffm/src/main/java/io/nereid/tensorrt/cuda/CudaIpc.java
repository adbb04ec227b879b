package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * Device memory that processes on one machine share, as in Triton's CUDA shared memory extension. A
 * handle is 64 bytes that one process exports and another opens. Thread-safe.
 */
public final class CudaIpc {
  /** {@code CUDA_IPC_HANDLE_SIZE}. */
  public static final int HANDLE_SIZE = 64;

  private CudaIpc() {}

  /**
   * The handle of memory that {@link DeviceMemory#allocate} has allocated. What is opened by it
   * must be closed before the memory is.
   */
  public static byte[] exportMemory(DeviceMemory memory) {
    CudaDevice device = memory.device();
    device.requireUsable("cudaIpcGetMemHandle");
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(HANDLE_SIZE);
      device.check(
          "cudaIpcGetMemHandle", Cudart.cudaIpcGetMemHandle(handle, memory.buffer().address()));
      return handle.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /**
   * Opens memory of another process.
   *
   * @param byteSize how much of it is to be used
   * @throws IllegalArgumentException if the handle does not have {@link #HANDLE_SIZE} bytes, or the
   *     memory has fewer than {@code byteSize}
   * @throws CudaException if the handle is of no memory on the device
   */
  public static DeviceMemory openMemory(CudaDevice device, byte[] handle, long byteSize) {
    requireHandle(handle);
    return device.whileCurrent(
        () -> {
          try (var arena = Arena.ofConfined()) {
            var pointer = arena.allocate(ValueLayout.ADDRESS);
            device.check(
                "cudaIpcOpenMemHandle",
                Cudart.cudaIpcOpenMemHandle(
                    pointer,
                    arena.allocateFrom(ValueLayout.JAVA_BYTE, handle),
                    Cudart.cudaIpcMemLazyEnablePeerAccess()));
            return requireSize(DeviceMemory.opened(device, pointer, byteSize));
          }
        },
        DeviceMemory::close);
  }

  /** Closes the memory if its allocation is smaller. */
  private static DeviceMemory requireSize(DeviceMemory opened) {
    DeviceBuffer buffer = opened.buffer();
    try {
      long present = AddressRange.bytesFrom(buffer.address(), opened.device());
      if (buffer.byteSize() > present) {
        throw new IllegalArgumentException(
            "%d bytes of memory that has %d".formatted(buffer.byteSize(), present));
      }
      return opened;
    } catch (RuntimeException failed) {
      Closing.with(failed, opened::close);
      throw failed;
    }
  }

  private static void requireHandle(byte[] handle) {
    if (handle.length != HANDLE_SIZE) {
      throw new IllegalArgumentException(
          "a CUDA IPC handle has " + HANDLE_SIZE + " bytes, not " + handle.length);
    }
  }
}
