package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A point in the work of a stream. A record replaces the one before; an event that was never
 * recorded is complete.
 */
public final class CudaEvent implements AutoCloseable {
  private final CudaDevice device;
  private final CudaHandle handle;

  /**
   * @param event where CUDA has written the pointer to the event
   */
  private CudaEvent(CudaDevice device, MemorySegment event) {
    this.device = device;
    this.handle = new CudaHandle("CUDA event", event);
  }

  /**
   * Creates an event on the device of the calling thread.
   *
   * @param busyWait whether {@link #synchronize} spins rather than sleeps until the event is
   *     complete
   * @param timing whether {@link #millisBetween} works; costs a little per record
   */
  public static CudaEvent create(boolean busyWait, boolean timing) {
    int blocking = busyWait ? Cudart.cudaEventDefault() : Cudart.cudaEventBlockingSync();
    int flags = timing ? blocking : blocking | Cudart.cudaEventDisableTiming();
    CudaDevice device = CudaDevice.current();
    device.requireUsable("cudaEventCreateWithFlags");
    try (var arena = Arena.ofConfined()) {
      var event = arena.allocate(ValueLayout.ADDRESS);
      device.check("cudaEventCreateWithFlags", Cudart.cudaEventCreateWithFlags(event, flags));
      return new CudaEvent(device, event);
    }
  }

  /** The {@code cudaEvent_t}, for one native call. */
  public MemorySegment handle() {
    return handle.get();
  }

  /** Enqueues a record of this event on a stream of the same device. */
  public void record(CudaStream stream) {
    device.requireUsable("cudaEventRecord");
    device.check("cudaEventRecord", Cudart.cudaEventRecord(handle.get(), stream.handle()));
  }

  /** Whether the work before the last record is done. Never waits. */
  public boolean isComplete() {
    device.requireUsable("cudaEventQuery");
    int status = Cudart.cudaEventQuery(handle.get());
    if (status == CudaError.NOT_READY) {
      CudaDevice.clearLastError();
      return false;
    }
    device.check("cudaEventQuery", status);
    return true;
  }

  /** Waits until the work before the last record is done. */
  public void synchronize() {
    device.requireUsable("cudaEventSynchronize");
    device.check("cudaEventSynchronize", Cudart.cudaEventSynchronize(handle.get()));
  }

  /**
   * Milliseconds on the device between two completed events with timing, at a resolution of about
   * half a microsecond.
   */
  public static float millisBetween(CudaEvent start, CudaEvent end) {
    try (var arena = Arena.ofConfined()) {
      return millisBetween(start, end, arena.allocate(ValueLayout.JAVA_FLOAT));
    }
  }

  /**
   * As {@link #millisBetween(CudaEvent, CudaEvent)}, without an allocation.
   *
   * @param millis memory for a float
   */
  public static float millisBetween(CudaEvent start, CudaEvent end, MemorySegment millis) {
    CudaDevice device = end.device;
    device.requireUsable("cudaEventElapsedTime");
    device.check(
        "cudaEventElapsedTime", Cudart.cudaEventElapsedTime(millis, start.handle(), end.handle()));
    return millis.get(ValueLayout.JAVA_FLOAT, 0);
  }

  /** Destroys the event. Has no effect on a closed event. */
  @Override
  public void close() {
    MemorySegment event = handle.take();
    if (event != null) {
      device.checkDestroyed("cudaEventDestroy", Cudart.cudaEventDestroy(event));
    }
  }
}
