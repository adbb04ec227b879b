package io.nereid.tensorrt.cuda;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Work that was captured from a stream and is launched with one call. It holds the addresses that
 * the captured calls were made with, so every buffer must outlive the graph.
 */
public final class CudaGraph implements AutoCloseable {
  private final CudaDevice device;
  private final CudaHandle executable;

  private CudaGraph(CudaDevice device, MemorySegment executable) {
    this.device = device;
    this.executable = new CudaHandle("CUDA graph", executable);
  }

  /**
   * Captures what {@code work} enqueues on {@code stream}, which is not executed. The work must not
   * wait for a stream or an event, nor allocate or free memory: CUDA then refuses the capture.
   *
   * @throws CudaException if CUDA cannot capture the work
   */
  public static CudaGraph capture(CudaStream stream, Runnable work) {
    CudaDevice device = stream.device();
    device.requireUsable("cudaStreamBeginCapture");
    try (var arena = Arena.ofConfined()) {
      MemorySegment graph = captured(device, stream, work, arena.allocate(ValueLayout.ADDRESS));
      CudaGraph instantiated;
      try {
        var executable = arena.allocate(ValueLayout.ADDRESS);
        device.check("cudaGraphInstantiate", Cudart.cudaGraphInstantiate(executable, graph, 0));
        instantiated = new CudaGraph(device, executable);
      } catch (CudaException failed) {
        Closing.with(failed, () -> destroy(device, graph));
        throw failed;
      }
      try {
        destroy(device, graph);
        return instantiated;
      } catch (CudaException failed) {
        Closing.with(failed, instantiated::close);
        throw failed;
      }
    }
  }

  private static void destroy(CudaDevice device, MemorySegment graph) {
    device.checkDestroyed("cudaGraphDestroy", Cudart.cudaGraphDestroy(graph));
  }

  private static MemorySegment captured(
      CudaDevice device, CudaStream stream, Runnable work, MemorySegment output) {
    device.check(
        "cudaStreamBeginCapture",
        Cudart.cudaStreamBeginCapture(stream.handle(), Cudart.cudaStreamCaptureModeThreadLocal()));
    try {
      work.run();
    } catch (RuntimeException | Error failed) {
      abandon(stream, output, failed);
      throw failed;
    }
    device.check("cudaStreamEndCapture", Cudart.cudaStreamEndCapture(stream.handle(), output));
    return CudaHandle.pointerAt(output);
  }

  /** Ends a capture whose work has failed, so that the stream can be used again. */
  private static void abandon(CudaStream stream, MemorySegment output, Throwable failed) {
    CudaDevice device = stream.device();
    Closing.with(
        failed,
        () -> {
          int status = Cudart.cudaStreamEndCapture(stream.handle(), output);
          device.checkDestroyed("cudaStreamEndCapture", status);
          if (status == 0) {
            destroy(device, CudaHandle.pointerAt(output));
          }
        });
  }

  /** Enqueues the captured work on a stream. */
  public void launch(CudaStream stream) {
    device.requireUsable("cudaGraphLaunch");
    device.check("cudaGraphLaunch", Cudart.cudaGraphLaunch(executable.get(), stream.handle()));
  }

  /** Destroys the graph. No launch may be pending. Has no effect on a closed graph. */
  @Override
  public void close() {
    MemorySegment graph = executable.take();
    if (graph != null) {
      device.checkDestroyed("cudaGraphExecDestroy", Cudart.cudaGraphExecDestroy(graph));
    }
  }
}
