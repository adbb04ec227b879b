package io.nereid.tensorrt.cuda;

/** Access of tests in other packages to what the CUDA layer remembers of devices. */
public final class CudaDevices {
  private CudaDevices() {}

  /** Forgets all devices and their sticky errors, as a new process would not know them. */
  public static void forgetAll() {
    CudaDevice.forgetAll();
  }
}
