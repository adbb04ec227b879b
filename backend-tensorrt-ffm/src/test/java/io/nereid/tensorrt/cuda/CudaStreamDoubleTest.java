package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@UsesDoubles
final class CudaStreamDoubleTest {
  private final CudartDouble cuda;
  private Arena arena;
  private CudaDevice device;
  private DeviceMemoryPool pool;
  private CudaStream stream;

  CudaStreamDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @BeforeEach
  void open() {
    arena = Arena.ofConfined();
    device = CudaDevice.of(0);
    device.use();
    pool = DeviceMemoryPool.create(device);
    stream = CudaStream.create(0);
  }

  @AfterEach
  void close() {
    stream.synchronize();
    stream.close();
    pool.close();
    arena.close();
  }

  @Test
  void copiesToTheDeviceAndBack() {
    DeviceBuffer buffer = pool.allocate(16, stream);
    MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3, 4);
    MemorySegment target = arena.allocate(16);

    stream.copyToDevice(buffer, 0, source, 16);
    stream.copyToHost(target, buffer, 0, 16);
    stream.synchronize();

    assertThat(target.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 3, 4);
    buffer.free(stream);
  }
}
