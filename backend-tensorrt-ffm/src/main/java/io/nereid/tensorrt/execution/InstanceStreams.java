package io.nereid.tensorrt.execution;

import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.CudaStream;

/**
 * The streams of an instance.
 *
 * @param copyIn copies of inputs
 * @param copyOut copies of outputs into page-locked memory
 * @param late copies of outputs without it: they do not wait behind those of a later batch
 */
record InstanceStreams(CudaStream copyIn, CudaStream compute, CudaStream copyOut, CudaStream late) {
  private static final int ATTEMPTS = 3;

  /** Opens the streams on the device of the calling thread; {@code resources} closes them. */
  static InstanceStreams open(CudaDevice device, Priority priority, ResourceStack resources) {
    int value =
        switch (priority) {
          case DEFAULT -> 0;
          case MAX -> device.greatestStreamPriority();
          case MIN -> device.leastStreamPriority();
        };
    return new InstanceStreams(
        open(value, resources),
        open(value, resources),
        open(value, resources),
        open(value, resources));
  }

  private static CudaStream open(int priority, ResourceStack resources) {
    var stream = CudaStream.create(priority);
    resources.add(stream::close);
    return stream;
  }

  /**
   * Waits for all streams, even if one fails. When it returns or throws a sticky error, no stream
   * uses memory of the host any more.
   *
   * @throws CudaException if a stream cannot be waited for
   */
  void synchronize() {
    var all = new ResourceStack();
    all.add(() -> synchronize(late));
    all.add(() -> synchronize(copyOut));
    all.add(() -> synchronize(compute));
    all.add(() -> synchronize(copyIn));
    all.close();
  }

  /** Waits for a stream. CUDA may report the failure of an earlier call instead of waiting. */
  private static void synchronize(CudaStream stream) {
    for (int attempt = 1; ; attempt++) {
      try {
        stream.synchronize();
        return;
      } catch (CudaException failed) {
        if (failed.isSticky() || attempt == ATTEMPTS) {
          throw failed;
        }
      }
    }
  }
}
