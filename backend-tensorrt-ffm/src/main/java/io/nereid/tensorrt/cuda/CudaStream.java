package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A queue of work for a device. Work of one stream is executed in the order of the calls; work of
 * two streams is ordered by events only. The methods that enqueue return at once, so memory that a
 * copy reads or writes stays alive until the copy is done.
 */
public final class CudaStream implements AutoCloseable {
  private static final int HOST_TO_DEVICE = Cudart.cudaMemcpyHostToDevice();
  private static final int DEVICE_TO_HOST = Cudart.cudaMemcpyDeviceToHost();
  private static final int DEVICE_TO_DEVICE = Cudart.cudaMemcpyDeviceToDevice();

  private final CudaDevice device;
  private final CudaHandle handle;

  private CudaStream(CudaDevice device, CudaHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /**
   * Creates a stream on the device of the calling thread. It does not wait for work of CUDA's
   * default stream.
   *
   * @param priority 0, or a value between those of {@link CudaDevice#greatestStreamPriority()} and
   *     {@link CudaDevice#leastStreamPriority()}; CUDA limits others to that range
   */
  public static CudaStream create(int priority) {
    CudaDevice device = CudaDevice.current();
    device.requireUsable("cudaStreamCreateWithPriority");
    try (var arena = Arena.ofConfined()) {
      var stream = arena.allocate(ValueLayout.ADDRESS);
      device.check(
          "cudaStreamCreateWithPriority",
          Cudart.cudaStreamCreateWithPriority(stream, Cudart.cudaStreamNonBlocking(), priority));
      return new CudaStream(device, new CudaHandle("CUDA stream", stream));
    }
  }

  /** Creates a stream of priority 0 on a device, whatever the calling thread uses. */
  public static CudaStream createOn(CudaDevice device) {
    return device.whileCurrent(() -> create(0), CudaStream::close);
  }

  public CudaDevice device() {
    return device;
  }

  /** The {@code cudaStream_t}, for one native call. */
  public MemorySegment handle() {
    return handle.get();
  }

  /**
   * Lets work that is enqueued from now on wait for the last record of {@code event} so far. Has no
   * effect if the event was never recorded.
   */
  public void await(CudaEvent event) {
    device.requireUsable("cudaStreamWaitEvent");
    device.check(
        "cudaStreamWaitEvent", Cudart.cudaStreamWaitEvent(handle.get(), event.handle(), 0));
  }

  /** Whether all work is done. Never waits. */
  public boolean isIdle() {
    device.requireUsable("cudaStreamQuery");
    int status = Cudart.cudaStreamQuery(handle.get());
    if (status == CudaError.NOT_READY) {
      CudaDevice.clearLastError();
      return false;
    }
    device.check("cudaStreamQuery", status);
    return true;
  }

  /**
   * Waits until all work is done. CUDA is called even if the device has failed before: calls report
   * errors of earlier work, {@code cudaSetDevice} those of the device that the thread used before,
   * so the work of this stream may still be going on.
   */
  public void synchronize() {
    int status = Cudart.cudaStreamSynchronize(handle.get());
    device.requireUsable("cudaStreamSynchronize");
    device.check("cudaStreamSynchronize", status);
  }

  /**
   * Enqueues a copy of the first {@code byteSize} bytes of {@code from} into {@code to}.
   *
   * @param from native memory; page-locked memory is read when the stream executes the copy
   * @throws IndexOutOfBoundsException if the bytes are not all within both
   */
  public void copyToDevice(DeviceBuffer to, long offset, MemorySegment from, long byteSize) {
    Objects.checkFromIndexSize(offset, byteSize, to.byteSize());
    Objects.checkFromIndexSize(0, byteSize, from.byteSize());
    copy(to.address(offset), from, byteSize, HOST_TO_DEVICE);
  }

  /**
   * Enqueues a copy of {@code byteSize} bytes of {@code from} into the beginning of {@code to}.
   *
   * @param to native memory; written when the stream executes the copy
   * @throws IndexOutOfBoundsException if the bytes are not all within both
   */
  public void copyToHost(MemorySegment to, DeviceBuffer from, long offset, long byteSize) {
    Objects.checkFromIndexSize(offset, byteSize, from.byteSize());
    Objects.checkFromIndexSize(0, byteSize, to.byteSize());
    copy(to, from.address(offset), byteSize, DEVICE_TO_HOST);
  }

  /**
   * Enqueues a copy between two buffers.
   *
   * @throws IndexOutOfBoundsException if the bytes are not all within both
   */
  public void copyOnDevice(
      DeviceBuffer to, long toOffset, DeviceBuffer from, long fromOffset, long byteSize) {
    Objects.checkFromIndexSize(toOffset, byteSize, to.byteSize());
    Objects.checkFromIndexSize(fromOffset, byteSize, from.byteSize());
    copy(to.address(toOffset), from.address(fromOffset), byteSize, DEVICE_TO_DEVICE);
  }

  private void copy(MemorySegment to, MemorySegment from, long byteSize, int kind) {
    device.requireUsable("cudaMemcpyAsync");
    MemorySegment stream = handle.get();
    if (byteSize > 0) {
      device.check("cudaMemcpyAsync", Cudart.cudaMemcpyAsync(to, from, byteSize, kind, stream));
    }
  }

  /**
   * Enqueues the filling of a part of {@code buffer} with one byte value.
   *
   * @throws IndexOutOfBoundsException if the part is not within the buffer
   */
  public void fill(DeviceBuffer buffer, long offset, long byteSize, byte value) {
    Objects.checkFromIndexSize(offset, byteSize, buffer.byteSize());
    device.requireUsable("cudaMemsetAsync");
    MemorySegment stream = handle.get();
    if (byteSize > 0) {
      device.check(
          "cudaMemsetAsync",
          Cudart.cudaMemsetAsync(buffer.address(offset), value, byteSize, stream));
    }
  }

  /** Destroys the stream. Its work must be done. Has no effect on a closed stream. */
  @Override
  public void close() {
    MemorySegment stream = handle.take();
    if (stream != null) {
      device.checkDestroyed("cudaStreamDestroy", Cudart.cudaStreamDestroy(stream));
    }
  }
}
