package io.nereid.tensorrt.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The use of closed objects, which must not reach CUDA; against the double of libcudart. */
@UsesDoubles
final class ClosedObjectsDoubleTest {
  private final CudartDouble cuda;
  private DeviceUnderTest gpu;

  ClosedObjectsDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  @BeforeEach
  void open() {
    gpu = new DeviceUnderTest();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  /** Each call throws, and none of them calls CUDA. */
  private void assertRefused(String message, Map<String, ThrowingCallable> calls) {
    long before = cuda.calls(CudartDouble.ANY);
    calls.forEach((name, call) ->
        assertThatIllegalStateException().as(name).isThrownBy(call).withMessage(message));
    assertThat(cuda.calls(CudartDouble.ANY)).isEqualTo(before);
  }

  @Test
  void aClosedStreamIsNotUsed() {
    var stream = CudaStream.create(0);
    var graph = CudaGraph.capture(gpu.stream, () -> {});
    var event = CudaEvent.create(false, false);
    var buffer = gpu.pool.allocate(4, gpu.stream);
    stream.close();
    stream.close();

    var calls = new LinkedHashMap<String, ThrowingCallable>();
    calls.put("handle", stream::handle);
    calls.put("await", () -> stream.await(event));
    calls.put("isIdle", stream::isIdle);
    calls.put("synchronize", stream::synchronize);
    calls.put("copyToDevice", () -> stream.copyToDevice(buffer, 0, gpu.room(1), 4));
    calls.put("copyToHost", () -> stream.copyToHost(gpu.room(1), buffer, 0, 4));
    calls.put("copyOnDevice", () -> stream.copyOnDevice(buffer, 0, buffer, 0, 4));
    calls.put("copy of nothing", () -> stream.copyToDevice(buffer, 0, gpu.room(1), 0));
    calls.put("fill", () -> stream.fill(buffer, 0, 4, (byte) 0));
    calls.put("record", () -> event.record(stream));
    calls.put("allocate", () -> gpu.pool.allocate(4, stream));
    calls.put("free", () -> buffer.free(stream));
    calls.put("launch", () -> graph.launch(stream));
    calls.put("capture", () -> CudaGraph.capture(stream, () -> {}));
    assertRefused("CUDA stream is closed", calls);

    assertThat(cuda.calls("cudaStreamDestroy")).isEqualTo(1);
    buffer.free(gpu.stream);
    graph.close();
    event.close();
  }

  @Test
  void aClosedEventIsNotUsed() {
    var open = CudaEvent.create(false, true);
    var event = CudaEvent.create(false, false);
    event.close();
    event.close();

    var calls = new LinkedHashMap<String, ThrowingCallable>();
    calls.put("handle", event::handle);
    calls.put("record", () -> event.record(gpu.stream));
    calls.put("isComplete", event::isComplete);
    calls.put("synchronize", event::synchronize);
    calls.put("start", () -> CudaEvent.millisBetween(event, open));
    calls.put("end", () -> CudaEvent.millisBetween(open, event));
    calls.put("await", () -> gpu.stream.await(event));
    assertRefused("CUDA event is closed", calls);

    assertThat(cuda.calls("cudaEventDestroy")).isEqualTo(1);
    open.close();
  }

  @Test
  void aFreedBufferIsNotUsed() {
    var open = gpu.pool.allocate(4, gpu.stream);
    var buffer = gpu.pool.allocate(4, gpu.stream);
    buffer.free(gpu.stream);
    var memory = DeviceMemory.allocate(gpu.device, 4);
    memory.close();
    memory.close();

    var calls = new LinkedHashMap<String, ThrowingCallable>();
    calls.put("address", buffer::address);
    calls.put("copyToDevice", () -> gpu.stream.copyToDevice(buffer, 0, gpu.room(1), 4));
    calls.put("copyToHost", () -> gpu.stream.copyToHost(gpu.room(1), buffer, 0, 4));
    calls.put("target", () -> gpu.stream.copyOnDevice(buffer, 0, open, 0, 4));
    calls.put("source", () -> gpu.stream.copyOnDevice(open, 0, buffer, 0, 4));
    calls.put("fill", () -> gpu.stream.fill(buffer, 0, 4, (byte) 0));
    calls.put("fill of closed memory", () -> gpu.stream.fill(memory.buffer(), 0, 4, (byte) 0));
    calls.put("export", () -> CudaIpc.exportMemory(memory));
    assertRefused("device buffer is closed", calls);

    open.free(gpu.stream);
  }

  @Test
  void aClosedPoolAndAClosedGraphAreNotUsed() {
    var pool = DeviceMemoryPool.create(gpu.device);
    pool.close();
    pool.close();
    var graph = CudaGraph.capture(gpu.stream, () -> {});
    graph.close();
    graph.close();

    var calls = new LinkedHashMap<String, ThrowingCallable>();
    calls.put("allocate", () -> pool.allocate(4, gpu.stream));
    calls.put("reservedBytes", pool::reservedBytes);
    calls.put("usedBytes", pool::usedBytes);
    assertRefused("device memory pool is closed", calls);
    assertRefused("CUDA graph is closed", Map.of("launch", () -> graph.launch(gpu.stream)));
  }
}
