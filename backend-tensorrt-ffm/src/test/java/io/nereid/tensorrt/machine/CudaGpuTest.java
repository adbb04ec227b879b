package io.nereid.tensorrt.machine;

import io.nereid.tensorrt.cuda.CudaDevice;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The CUDA layer on a GPU. Needs a driver and the CUDA runtime, not TensorRT. */
@Tag("gpu")
class CudaGpuTest extends CudaVerification {
  @BeforeAll
  static void requireGpu() {
    RealGpu.require();
  }

  @Override
  CudaDevice device() {
    return RealGpu.require();
  }

  @Override
  long largestBytes() {
    return 64 << 20;
  }

  @Override
  Peer startPeer() throws Exception {
    var process = JavaProcess.start(IpcPeer.class, System.getProperty("tensorrt.cudart", ""));
    return new Peer() {
      @Override
      public void send(String line) throws Exception {
        process.writeLine(line);
      }

      @Override
      public String receive() throws Exception {
        return process.readLine();
      }

      @Override
      public void close() {
        process.close();
      }
    };
  }
}
