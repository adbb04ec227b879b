package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import io.nereid.tensorrt.bindings.cudart.cudaMemLocation;
import io.nereid.tensorrt.bindings.cudart.cudaMemPoolProps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A pool of device memory from which buffers are allocated and freed in the order of a stream. What
 * is freed stays reserved for the next allocation. Thread-safe.
 */
public final class DeviceMemoryPool implements AutoCloseable {
  /** The threshold of a pool that returns memory to the driver only when it is closed. */
  private static final long KEEP_ALL = -1; // the greatest cuuint64_t

  private final CudaDevice device;
  private final CudaHandle handle;

  private DeviceMemoryPool(CudaDevice device, MemorySegment pool) {
    this.device = device;
    this.handle = new CudaHandle("device memory pool", pool);
  }

  /** Creates a pool that keeps what it has reserved. */
  public static DeviceMemoryPool create(CudaDevice device) {
    device.requireUsable("cudaMemPoolCreate");
    try (var arena = Arena.ofConfined()) {
      var properties = cudaMemPoolProps.allocate(arena);
      cudaMemPoolProps.allocType(properties, Cudart.cudaMemAllocationTypePinned());
      var location = cudaMemPoolProps.location(properties);
      cudaMemLocation.type(location, Cudart.cudaMemLocationTypeDevice());
      cudaMemLocation.id(location, device.id());
      var pointer = arena.allocate(ValueLayout.ADDRESS);
      device.check("cudaMemPoolCreate", Cudart.cudaMemPoolCreate(pointer, properties));
      var pool = new DeviceMemoryPool(device, pointer);
      try {
        var threshold = arena.allocateFrom(ValueLayout.JAVA_LONG, KEEP_ALL);
        device.check(
            "cudaMemPoolSetAttribute",
            Cudart.cudaMemPoolSetAttribute(
                pool.handle.get(), Cudart.cudaMemPoolAttrReleaseThreshold(), threshold));
        return pool;
      } catch (CudaException failed) {
        try (pool) {
          throw failed;
        }
      }
    }
  }

  /**
   * Allocates memory for work that is enqueued on {@code stream} after this call, or is ordered
   * after it by an event.
   *
   * @param byteSize 0 or more; one byte is allocated for 0
   * @throws CudaException {@linkplain CudaException#isOutOfMemory() out of memory}, for one
   */
  public DeviceBuffer allocate(long byteSize, CudaStream stream) {
    device.requireUsable("cudaMallocFromPoolAsync");
    try (var arena = Arena.ofConfined()) {
      var pointer = arena.allocate(ValueLayout.ADDRESS);
      device.check(
          "cudaMallocFromPoolAsync",
          Cudart.cudaMallocFromPoolAsync(
              pointer, Math.max(1, byteSize), handle.get(), stream.handle()));
      return DeviceBuffer.ofPool(device, pointer, byteSize);
    }
  }

  /** Bytes of device memory that the pool has taken from the driver. */
  public long reservedBytes() {
    return attribute(Cudart.cudaMemPoolAttrReservedMemCurrent());
  }

  /** Bytes of the reserved ones that are allocated now. */
  public long usedBytes() {
    return attribute(Cudart.cudaMemPoolAttrUsedMemCurrent());
  }

  private long attribute(int attribute) {
    device.requireUsable("cudaMemPoolGetAttribute");
    try (var arena = Arena.ofConfined()) {
      var value = arena.allocate(ValueLayout.JAVA_LONG);
      device.check(
          "cudaMemPoolGetAttribute",
          Cudart.cudaMemPoolGetAttribute(handle.get(), attribute, value));
      return value.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Destroys the pool, whose buffers must be freed. Has no effect on a closed pool. */
  @Override
  public void close() {
    MemorySegment pool = handle.take();
    if (pool != null) {
      device.checkDestroyed("cudaMemPoolDestroy", Cudart.cudaMemPoolDestroy(pool));
    }
  }
}
