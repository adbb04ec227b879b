package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import org.junit.jupiter.api.Test;

/** Devices against the double of libcudart, which has two. */
@UsesDoubles
final class CudaDeviceDoubleTest {
  private final CudartDouble cuda;

  CudaDeviceDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void describesADevice() {
    CudaDevice device = CudaDevice.of(1);

    assertThat(CudaDevice.count()).isEqualTo(2);
    assertThat(device.id()).isEqualTo(1);
    assertThat(device.name()).isEqualTo("Double GPU 1");
    assertThat(device.computeCapability()).isEqualTo("9.0");
    assertThat(device.leastStreamPriority()).isZero();
    assertThat(device.greatestStreamPriority()).isEqualTo(-5);
  }

  @Test
  void isOneObjectForEachDevice() {
    assertThat(CudaDevice.of(0)).isSameAs(CudaDevice.of(0)).isNotSameAs(CudaDevice.of(1));
  }

  @Test
  void tellsItsFreeMemoryWithoutChangingTheDeviceOfTheThread() {
    cuda.setMemory(1, 1000);
    CudaDevice.of(0).use();

    assertThat(CudaDevice.of(1).memory()).isEqualTo(new CudaDevice.MemoryInfo(1000, 1000));
    assertThat(CudaDevice.current().id()).isZero();
    try (var memory = DeviceMemory.allocate(CudaDevice.of(1), 400)) {
      assertThat(memory.device().memory().free()).isEqualTo(600);
    }
  }

  @Test
  void belongsToTheThreadThatUsesIt() throws InterruptedException {
    CudaDevice.of(1).use();
    var other = new int[] {-1};

    var thread = new Thread(() -> other[0] = CudaDevice.current().id());
    thread.start();
    thread.join();

    assertThat(CudaDevice.current().id()).isEqualTo(1);
    assertThat(other[0]).isZero();
  }

  @Test
  void refusesANumberOfNoDevice() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CudaDevice.of(2))
        .withMessage("no CUDA device 2, this process sees 2");
    assertThatIllegalArgumentException().isThrownBy(() -> CudaDevice.of(-1));
  }

  @Test
  void countsNoDeviceWhereTheDriverSeesNone() {
    cuda.setDevices(0);

    assertThat(CudaDevice.count()).isZero();
    assertThat(cuda.lastError()).isZero();
  }

  @Test
  void failsToCountDevicesWithoutADriver() {
    cuda.setVersions(13000, 0);

    assertThatExceptionOfType(CudaException.class)
        .isThrownBy(CudaDevice::count)
        .withMessage(
            "cudaGetDeviceCount failed: cudaErrorInsufficientDriver (35): CUDA driver version is"
                + " insufficient for CUDA runtime version");
  }
}
