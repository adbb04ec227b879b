package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Device memory and events that processes on one machine share, as in Triton's CUDA shared memory
 * extension. A handle is 64 bytes that one process exports and another opens. Thread-safe.
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
                    pointer, copyOf(handle, arena), Cudart.cudaIpcMemLazyEnablePeerAccess()));
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

  /** The handle of an event that {@link CudaEvent#createShared} has created. */
  public static byte[] exportEvent(CudaEvent event) {
    CudaDevice device = event.device();
    device.requireUsable("cudaIpcGetEventHandle");
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(HANDLE_SIZE);
      device.check("cudaIpcGetEventHandle", Cudart.cudaIpcGetEventHandle(handle, event.handle()));
      return handle.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /**
   * Opens an event of another process. Closing it leaves the event of the other process alone.
   *
   * @throws IllegalArgumentException if the handle does not have {@link #HANDLE_SIZE} bytes
   * @throws CudaException if the handle is of no event on the device
   */
  public static CudaEvent openEvent(CudaDevice device, byte[] handle) {
    requireHandle(handle);
    return device.whileCurrent(
        () -> {
          try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(ValueLayout.ADDRESS);
            device.check(
                "cudaIpcOpenEventHandle",
                Cudart.cudaIpcOpenEventHandle(event, copyOf(handle, arena)));
            return new CudaEvent(device, event);
          }
        },
        CudaEvent::close);
  }

  private static void requireHandle(byte[] handle) {
    if (handle.length != HANDLE_SIZE) {
      throw new IllegalArgumentException(
          "a CUDA IPC handle has " + HANDLE_SIZE + " bytes, not " + handle.length);
    }
  }

  /** Both handles are structures of 64 chars. */
  private static MemorySegment copyOf(byte[] handle, Arena arena) {
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, handle);
  }
}
