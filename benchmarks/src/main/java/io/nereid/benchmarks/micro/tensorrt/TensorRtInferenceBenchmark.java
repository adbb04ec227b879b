package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.engine.AllocationStrategy;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.ExecutionContext;
import io.nereid.tensorrt.engine.InferenceRuntime;
import io.nereid.tensorrt.engine.TensorRt;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does Java add to the native calls of an inference? Copies to the device, shapes, the
 * enqueue, events, copies to the host and the wait are called through the backend's layers {@code
 * cuda} and {@code engine}, on doubles of CUDA and TensorRT. The baseline makes the same calls from
 * C. Needs a C compiler named {@code cc}. {@code -prof gc} reports allocations.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class TensorRtInferenceBenchmark {
  private static final int ROWS = 8;
  private static final int COLUMNS = 16;
  private static final long BYTES = (long) ROWS * COLUMNS * Float.BYTES;
  private static final int TENSORS = 4;
  private static final int LOOP = 1_000;

  /** A context with two inputs and two outputs, its streams, events and memory. */
  @State(Scope.Thread)
  public static class Inference {
    private final CudaDevice device = currentDevice();
    private final Arena arena = Arena.ofConfined();
    private final InferenceRuntime runtime = TensorRt.open(1).createRuntime(device.name());
    private final CudaEngine engine = runtime.deserialize(plan(arena));
    private final ExecutionContext context = engine.createContext(AllocationStrategy.STATIC);
    private final CudaStream copyIn = CudaStream.create(0);
    private final CudaStream compute = CudaStream.create(0);
    private final CudaStream copyOut = CudaStream.create(0);
    private final CudaEvent copiedIn = CudaEvent.create(false, false);
    private final CudaEvent computed = CudaEvent.create(false, false);
    private final CudaEvent copiedOut = CudaEvent.create(false, false);
    private final DeviceMemoryPool pool = DeviceMemoryPool.create(device);
    private final PinnedMemory pinned = new PinnedMemory(device);
    private final DeviceBuffer[] buffers = new DeviceBuffer[TENSORS];
    private final MemorySegment[] hosts = new MemorySegment[TENSORS];
    private final long[] dims = {ROWS, COLUMNS};
    private final long[] shape = new long[8];

    /** Allocates memory, and sets the addresses once. */
    public Inference() {
      for (int i = 0; i < TENSORS; i++) {
        buffers[i] = pool.allocate(BYTES, compute);
        hosts[i] = pinned.allocate(BYTES);
        context.setAddress(i, buffers[i].address());
      }
      compute.synchronize();
      for (int k = 0; k < ROWS * COLUMNS; k++) {
        hosts[0].setAtIndex(ValueLayout.JAVA_FLOAT, k, k);
        hosts[1].setAtIndex(ValueLayout.JAVA_FLOAT, k, 1);
      }
    }

    private static CudaDevice currentDevice() {
      TensorRtDoubles.get().bind();
      CudaDevice first = CudaDevice.of(0);
      first.use();
      return first;
    }

    private static MemorySegment plan(Arena arena) {
      byte[] text = TensorRtDoubles.PLAN.getBytes(StandardCharsets.UTF_8);
      return arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
    }

    private void run() {
      for (int i = 0; i < 2; i++) {
        copyIn.copyToDevice(buffers[i], 0, hosts[i], BYTES);
        context.setInputShape(i, dims, dims.length);
      }
      copiedIn.record(copyIn);
      compute.await(copiedIn);
      context.enqueue(compute);
      computed.record(compute);
      copyOut.await(computed);
      for (int i = 2; i < TENSORS; i++) {
        context.readShape(i, shape);
        copyOut.copyToHost(hosts[i], buffers[i], 0, BYTES);
      }
      copiedOut.record(copyOut);
      copiedOut.synchronize();
    }

    /** Frees everything but the libraries. */
    @TearDown
    public void close() {
      context.close();
      engine.close();
      runtime.close();
      for (int i = 0; i < TENSORS; i++) {
        buffers[i].free(compute);
        pinned.free(hosts[i]);
      }
      compute.synchronize();
      pool.close();
      List.of(copyIn, compute, copyOut).forEach(CudaStream::close);
      List.of(copiedIn, computed, copiedOut).forEach(CudaEvent::close);
      arena.close();
    }
  }

  /** The same inference in C. */
  @State(Scope.Thread)
  public static class InferenceInC {
    private final TensorRtDoubles doubles = TensorRtDoubles.get();
    private final MethodHandle run =
        doubles.function(
            "inference_run",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private final MemorySegment inference = open();

    private MemorySegment open() {
      MethodHandle open =
          doubles.function(
              "inference_open",
              FunctionDescriptor.of(
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG));
      try (var arena = Arena.ofConfined()) {
        var opened =
            (MemorySegment)
                open.invokeExact(
                    arena.allocateFrom(TensorRtDoubles.PLAN), (long) ROWS, (long) COLUMNS);
        if (opened.equals(MemorySegment.NULL)) {
          throw new IllegalStateException("a call of the doubles fails");
        }
        return opened;
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
    }
  }

  /** Through the layers {@code cuda} and {@code engine}. */
  @Benchmark
  public float inference(Inference state) {
    state.run();
    float sum = state.hosts[2].getAtIndex(ValueLayout.JAVA_FLOAT, ROWS * COLUMNS - 1);
    if (sum != ROWS * COLUMNS) {
      throw new AssertionError("the last sum is " + sum);
    }
    return sum;
  }

  /** From C. */
  @Benchmark
  @OperationsPerInvocation(LOOP)
  public long inferenceBaseline(InferenceInC state) throws Throwable {
    long succeeded = (long) state.run.invokeExact(state.inference, (long) LOOP);
    if (succeeded != LOOP) {
      throw new AssertionError("only %d of %d inferences succeed".formatted(succeeded, LOOP));
    }
    return succeeded;
  }
}
