package io.nereid.benchmarks.micro;

import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_enqueueV3;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_getTensorShape;
import io.nereid.tensorrt.bindings.nvinfer.IExecutionContext_setTensorAddress;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IExecutionContext;
import io.nereid.tensorrt.bindings.nvinfer.trt_Dims;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
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
 * What does FFM add to a call through a table of TensorRT? The table is that of an execution
 * context written in C ({@code table_calls.c}) whose methods do next to nothing. The baselines are
 * loops in C, which call the same methods through the same table. Needs a C compiler named {@code
 * cc}. {@code -prof gc} reports allocations.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class TensorRtCallBenchmark {
  private static final int LOOP = 100_000;

  /** The context, and what its methods are given. */
  @State(Scope.Thread)
  public static class Context {
    private final Arena arena = Arena.ofConfined();
    private final SymbolLookup library = Unchecked.call(() -> TableCalls.open(arena));
    private final MemorySegment context = context();
    private final MemorySegment setTensorAddress;
    private final MemorySegment getTensorShape;
    private final MemorySegment enqueueV3;
    private final MemorySegment reference = arena.allocateFrom(ValueLayout.ADDRESS, context);
    private final MemorySegment name = arena.allocateFrom("INPUT0");
    private final MemorySegment data = arena.allocate(16);
    private final MemorySegment dims = arena.allocate(trt_Dims.layout());
    private final SegmentAllocator toDims = (_, _) -> dims;
    private final MethodHandle addressLoop =
        loop(
            "table_calls_set_tensor_address",
            ValueLayout.ADDRESS,
            ValueLayout.ADDRESS,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG);
    private final MethodHandle shapeLoop =
        loop(
            "table_calls_get_tensor_shape",
            ValueLayout.ADDRESS,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG);
    private final MethodHandle enqueueLoop =
        loop(
            "table_calls_enqueue", ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);

    /** Reads the addresses of the methods once, as the backend does. */
    public Context() {
      MemorySegment table =
          context
              .reinterpret(ValueLayout.ADDRESS.byteSize()) // its first word is the table
              .get(ValueLayout.ADDRESS, 0)
              .reinterpret(trt10_IExecutionContext.layout().byteSize());
      setTensorAddress = trt10_IExecutionContext.setTensorAddress(table);
      getTensorShape = trt10_IExecutionContext.getTensorShape(table);
      enqueueV3 = trt10_IExecutionContext.enqueueV3(table);
    }

    /** Unloads the library. */
    @TearDown
    public void close() {
      arena.close();
    }

    private MemorySegment context() {
      MethodHandle create =
          Linker.nativeLinker()
              .downcallHandle(
                  library.findOrThrow("table_calls_context"),
                  FunctionDescriptor.of(ValueLayout.ADDRESS));
      try {
        return (MemorySegment) create.invokeExact();
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
    }

    private MethodHandle loop(String function, ValueLayout... parameters) {
      return Linker.nativeLinker()
          .downcallHandle(
              library.findOrThrow(function),
              FunctionDescriptor.of(ValueLayout.JAVA_LONG, parameters));
    }
  }

  /** A call with a string and a pointer. */
  @Benchmark
  public boolean setTensorAddress(Context state) {
    return checked(
        IExecutionContext_setTensorAddress.invoke(
            state.setTensorAddress, state.context, state.name, state.data));
  }

  /** The same call from C. */
  @Benchmark
  @OperationsPerInvocation(LOOP)
  public long setTensorAddressBaseline(Context state) throws Throwable {
    return checked(
        (long) state.addressLoop.invokeExact(state.reference, state.name, state.data, (long) LOOP));
  }

  /** A call that returns a struct of 72 bytes. */
  @Benchmark
  public long getTensorShape(Context state) {
    MemorySegment dims =
        IExecutionContext_getTensorShape.invoke(
            state.getTensorShape, state.toDims, state.context, state.name);
    checked(trt_Dims.nbDims(dims) == 2);
    return trt_Dims.d(dims, 0);
  }

  /** The same call from C. */
  @Benchmark
  @OperationsPerInvocation(LOOP)
  public long getTensorShapeBaseline(Context state) throws Throwable {
    return checked((long) state.shapeLoop.invokeExact(state.reference, state.name, (long) LOOP));
  }

  /** A call with one pointer. */
  @Benchmark
  public boolean enqueueV3(Context state) {
    return checked(IExecutionContext_enqueueV3.invoke(state.enqueueV3, state.context, state.data));
  }

  /** The same call from C. */
  @Benchmark
  @OperationsPerInvocation(LOOP)
  public long enqueueV3Baseline(Context state) throws Throwable {
    return checked((long) state.enqueueLoop.invokeExact(state.reference, state.data, (long) LOOP));
  }

  private static boolean checked(boolean succeeded) {
    if (!succeeded) {
      throw new AssertionError("the call failed");
    }
    return true;
  }

  private static long checked(long succeeded) {
    checked(succeeded == LOOP);
    return succeeded;
  }
}
