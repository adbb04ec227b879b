package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.tensorrt.cuda.Closing;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaException;
import io.nereid.tensorrt.cuda.CudaIpc;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceMemory;
import java.lang.foreign.MemorySegment;

/** Memory of a GPU that a client has allocated, with a stream for copies. Thread-safe. */
final class ClientMemory implements SharedDeviceMemory {
  private static final System.Logger LOG = System.getLogger(ClientMemory.class.getName());

  private final DeviceMemory memory;
  private final CudaStream stream;

  private ClientMemory(DeviceMemory memory, CudaStream stream) {
    this.memory = memory;
    this.stream = stream;
  }

  /**
   * Opens the memory of a handle.
   *
   * @throws InferenceException UNAVAILABLE if the device has failed, RESOURCE_EXHAUSTED if it has
   *     not enough memory, else INVALID_ARGUMENT
   */
  static ClientMemory open(int gpu, byte[] handle, long byteSize) {
    try {
      CudaDevice device = CudaDevice.of(gpu);
      DeviceMemory memory = CudaIpc.openMemory(device, handle, byteSize);
      try {
        return new ClientMemory(memory, CudaStream.createOn(device));
      } catch (CudaException failed) {
        Closing.with(failed, memory::close);
        throw failed;
      }
    } catch (CudaException failed) {
      throw failed(failed, StatusCode.INVALID_ARGUMENT, "memory cannot be opened on GPU " + gpu);
    } catch (IllegalArgumentException refused) {
      throw InferenceException.invalid(String.valueOf(refused.getMessage()));
    }
  }

  @Override
  public void read(long offset, MemorySegment target) {
    try {
      stream.copyToHost(target, memory.buffer(), offset, target.byteSize());
      stream.synchronize();
    } catch (CudaException failed) {
      throw notCopied(failed);
    }
  }

  @Override
  public void write(long offset, MemorySegment source) {
    try {
      stream.copyToDevice(memory.buffer(), offset, source, source.byteSize());
      stream.synchronize();
    } catch (CudaException failed) {
      throw notCopied(failed);
    }
  }

  /** The failure of a copy, which no longer uses the memory of the host once this returns. */
  private InferenceException notCopied(CudaException failed) {
    Closing.with(failed, stream::synchronize);
    return failed(
        failed, StatusCode.INTERNAL, "memory of GPU " + memory.device().id() + " is not copied");
  }

  private static InferenceException failed(CudaException failed, StatusCode code, String what) {
    StatusCode status =
        failed.isSticky()
            ? StatusCode.UNAVAILABLE
            : failed.isOutOfMemory() ? StatusCode.RESOURCE_EXHAUSTED : code;
    return new InferenceException(status, what + ": " + failed.getMessage(), failed);
  }

  @Override
  public void close() {
    try (memory;
        stream) {
      LOG.log(System.Logger.Level.DEBUG, "memory of a client on {0} is closed", memory.device());
    } catch (CudaException failed) {
      LOG.log(
          System.Logger.Level.WARNING,
          "memory of a client is closed with a failure: {0}",
          failed.getMessage());
    }
  }
}
