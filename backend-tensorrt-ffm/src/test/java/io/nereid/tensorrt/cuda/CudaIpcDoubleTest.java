package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Shared memory against the double of libcudart: within one process, unlike CUDA. */
@UsesDoubles
final class CudaIpcDoubleTest {
  private final CudartDouble cuda;

  CudaIpcDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void opensTheMemoryOfAHandle() {
    try (var gpu = new DeviceUnderTest();
        var memory = DeviceMemory.allocate(gpu.device, 16);
        var opened = CudaIpc.openMemory(gpu.device, CudaIpc.exportMemory(memory), 16)) {
      gpu.stream.copyToDevice(memory.buffer(), 8, gpu.values(1, 2), 8);
      var target = gpu.room(2);
      gpu.stream.copyToHost(target, opened.buffer(), 8, 8);
      gpu.stream.synchronize();

      assertThat(opened.buffer().byteSize()).isEqualTo(16);
      assertThat(DeviceUnderTest.ints(target)).containsExactly(1, 2);
    }
  }

  @Test
  void opensMemoryWithADriverOfAnEarlierMinorVersionThanTheRuntime() {
    try (var memory = DeviceMemory.allocate(CudaDevice.of(0), 16)) {
      byte[] handle = CudaIpc.exportMemory(memory);
      cuda.setVersions(13050, 13000);

      CudaIpc.openMemory(CudaDevice.of(0), handle, 16).close();

      assertThatIllegalArgumentException()
          .isThrownBy(() -> CudaIpc.openMemory(CudaDevice.of(0), handle, 17))
          .withMessage("17 bytes of memory that has 16");
    }
  }

  @Test
  void findsTheExtentOfMemoryWithARuntimeBeforeCuda12Dot5() {
    CudaDevice.of(0).use();
    SymbolLookup before12Dot5 =
        name ->
            name.endsWith("ByVersion") ? Optional.empty() : LibraryLookup.of("cudart").find(name);
    try (var memory = DeviceMemory.allocate(CudaDevice.of(0), 16)) {
      long bytes =
          AddressRange.bytesFrom(memory.buffer().address(), CudaDevice.of(0), before12Dot5);

      assertThat(bytes).isEqualTo(16);
    }
    assertThat(cuda.calls("cudaGetDriverEntryPoint")).isEqualTo(1);
  }

  @Test
  void opensAHandleSeveralTimes() {
    try (var gpu = new DeviceUnderTest();
        var memory = DeviceMemory.allocate(gpu.device, 4)) {
      byte[] handle = CudaIpc.exportMemory(memory);
      var first = CudaIpc.openMemory(gpu.device, handle, 4);
      var second = CudaIpc.openMemory(gpu.device, handle, 4);
      first.close();

      gpu.stream.fill(second.buffer(), 0, 4, (byte) 0);
      gpu.stream.synchronize();
      assertThat(cuda.live("opened memory handles")).isEqualTo(1);
      assertThatIllegalStateException().isThrownBy(() -> first.buffer().address());
      second.close();
      second.close();
    }
  }

  @Test
  void opensMemoryOfTheDeviceThatItLiesOn() {
    try (var memory = DeviceMemory.allocate(CudaDevice.of(1), 4)) {
      byte[] handle = CudaIpc.exportMemory(memory);
      CudaDevice.of(0).use();

      try (var opened = CudaIpc.openMemory(CudaDevice.of(1), handle, 4)) {
        assertThat(opened.device().id()).isEqualTo(1);
        assertThat(CudaDevice.current().id()).isZero();
      }
      assertInvalidHandle(() -> CudaIpc.openMemory(CudaDevice.of(0), handle, 4));
    }
  }

  @Test
  void refusesAHandleOfWrongSize() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CudaIpc.openMemory(CudaDevice.of(0), new byte[63], 4))
        .withMessage("a CUDA IPC handle has 64 bytes, not 63");
    assertThat(cuda.calls("cudaIpcOpenMemHandle")).isZero();
  }

  @Test
  void refusesBytesThatAreNoHandle() {
    assertInvalidHandle(() -> CudaIpc.openMemory(CudaDevice.of(0), new byte[64], 4));
  }

  @Test
  void refusesTheHandleOfFreedMemory() {
    byte[] handle;
    try (var memory = DeviceMemory.allocate(CudaDevice.of(0), 4)) {
      handle = CudaIpc.exportMemory(memory);
    }

    assertInvalidHandle(() -> CudaIpc.openMemory(CudaDevice.of(0), handle, 4));
  }

  private static void assertInvalidHandle(ThrowingCallable call) {
    assertThatExceptionOfType(CudaException.class)
        .isThrownBy(call)
        .withMessageContaining("cudaErrorInvalidResourceHandle (400)");
  }
}
