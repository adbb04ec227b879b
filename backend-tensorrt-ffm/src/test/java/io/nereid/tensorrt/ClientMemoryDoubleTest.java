package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaDevices;
import io.nereid.tensorrt.cuda.CudaIpc;
import io.nereid.tensorrt.cuda.DeviceMemory;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.CapturedLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.logging.Level;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that a client shares, against the double of libcudart: one process is both. */
@UsesDoubles
class ClientMemoryDoubleTest {
  private static final int LAST_DEVICE = 1;
  private static final int SIZE = 64;

  private final CudartDouble cuda;

  ClientMemoryDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @Test
  void readsWhatItHasWrittenOnTheDeviceOfTheMemory() {
    try (var client = DeviceMemory.allocate(CudaDevice.of(LAST_DEVICE), SIZE);
        var arena = Arena.ofConfined()) {
      CudaDevice.of(0).use();
      byte[] handle = CudaIpc.exportMemory(client);

      assertThat(writeAndRead(LAST_DEVICE, handle, arena)).containsExactly(1, 2, 3);
      assertThat(CudaDevice.current().id()).isZero();
      assertThat(cuda.live("opened memory handles")).isZero();
    }
  }

  private static byte[] writeAndRead(int gpu, byte[] handle, Arena arena) {
    MemorySegment target = arena.allocate(3);
    try (var memory = ClientMemory.open(gpu, handle, SIZE)) {
      memory.write(SIZE - 3, arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {1, 2, 3}));
      memory.read(SIZE - 3, target);
    }
    return target.toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void refusesHandlesThatAreOfNoMemoryOnTheDevice() {
    byte[] freed;
    try (var client = DeviceMemory.allocate(CudaDevice.of(0), SIZE)) {
      freed = CudaIpc.exportMemory(client);
      assertRefused(
          () -> ClientMemory.open(LAST_DEVICE, freed, SIZE),
          "memory cannot be opened on GPU 1: cudaIpcOpenMemHandle failed on device 1:"
              + " cudaErrorInvalidResourceHandle");
      assertRefused(() -> ClientMemory.open(2, freed, SIZE), "no CUDA device 2");
      assertRefused(() -> ClientMemory.open(-1, freed, SIZE), "no CUDA device -1");
    }
    assertRefused(
        () -> ClientMemory.open(0, freed, SIZE),
        "memory cannot be opened on GPU 0: cudaIpcOpenMemHandle failed on device 0:"
            + " cudaErrorInvalidResourceHandle");
    assertRefused(() -> ClientMemory.open(0, new byte[64], SIZE), "cudaErrorInvalidResourceHandle");
  }

  @Test
  void refusesMoreThanTheClientHasAllocated() {
    try (var client = DeviceMemory.allocate(CudaDevice.of(0), SIZE)) {
      byte[] handle = CudaIpc.exportMemory(client);

      assertRefused(() -> ClientMemory.open(0, handle, SIZE + 1), "65 bytes of memory that has 64");
      assertThat(cuda.live("opened memory handles")).isZero();
    }
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessageContaining(message)
        .matches(failure -> failure.code() == StatusCode.INVALID_ARGUMENT);
  }

  /** Errors: cudaErrorInvalidValue, cudaErrorMemoryAllocation, and a sticky one. */
  @ParameterizedTest
  @CsvSource({"1,", "2,RESOURCE_EXHAUSTED", "700,UNAVAILABLE"})
  void aFailureOfEachCallIsReportedAndLeavesNothingOpen(int error, @Nullable StatusCode code) {
    long failures = 0;
    try (var log = CapturedLog.of("io.nereid.tensorrt");
        var arena = Arena.ofConfined()) {
      log.limit(Level.OFF);
      for (long skip = 0; failures == skip; skip++) {
        try (var client = DeviceMemory.allocate(CudaDevice.of(0), SIZE)) {
          byte[] handle = CudaIpc.exportMemory(client);
          cuda.fail(CudartDouble.ANY, skip, 1, error);
          try {
            writeAndRead(0, handle, arena);
          } catch (InferenceException failed) {
            failures++;
            assertThat(failed).hasMessageContaining("failed").hasMessageContaining("cuda");
            if (code != null) {
              assertThat(failed.code()).isEqualTo(code);
            }
          }
          assertThat(cuda.live("opened memory handles")).as("call %d failed", skip).isZero();
          assertThat(cuda.live("streams")).as("call %d failed", skip).isZero();
          assertThat(cuda.violations()).as("call %d failed", skip).isEmpty();
          cuda.reset(); // the device has not failed for the process of the client
          CudaDevices.forgetAll();
        }
      }
    }
    assertThat(failures).isGreaterThan(10); // all but those of the close
  }
}
