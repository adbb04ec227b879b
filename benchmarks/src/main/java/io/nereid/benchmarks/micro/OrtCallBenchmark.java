package io.nereid.benchmarks.micro;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.nereid.benchmarks.ExampleModels;
import io.nereid.onnx.ort.OrtRun;
import io.nereid.onnx.ort.OrtSessionOptions;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a call of ONNX Runtime's C API through FFM cost? The baselines use ONNX Runtime's Java
 * API, which uses JNI. The model is {@code simple}, whose computation costs little. Inputs are in
 * native memory, and a result is read. {@code -prof gc} reports allocations.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class OrtCallBenchmark {
  private static final int COUNT = 16;
  private static final int BYTES = COUNT * Integer.BYTES;
  private static final long[] DIMS = {1, COUNT};

  /** The backend's session and run. */
  @State(Scope.Thread)
  public static class Ffm {
    private static final int INT32 = 6; // ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32

    private final Path model = Unchecked.call(OrtCallBenchmark::simple);
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment left = ramp(arena);
    private final MemorySegment right = ramp(arena);
    private final MemorySegment sum = arena.allocate(BYTES, Long.BYTES);
    private final MemorySegment difference = arena.allocate(BYTES, Long.BYTES);
    private final Shape shape = Shape.of(DIMS);
    private final io.nereid.onnx.ort.OrtEnvironment environment =
        Unchecked.call(() ->
            io.nereid.onnx.ort.OrtEnvironment.open(
                Optional.empty(), Optional.empty(), Optional.empty(), false));
    private final io.nereid.onnx.ort.OrtSession session = session();
    private final OrtRun run = session.openRun();

    /** Frees all native objects. */
    @TearDown
    public void close() throws IOException {
      run.close();
      session.close();
      environment.close();
      arena.close();
      Files.delete(model);
    }

    private io.nereid.onnx.ort.OrtSession session() {
      try (OrtSessionOptions options = environment.options()) {
        options.threads(1, 1);
        return environment.open(model, options);
      }
    }

    /** The numbers from 0 on. */
    static MemorySegment ramp(Arena arena) {
      var segment = arena.allocate(BYTES, Long.BYTES);
      for (int k = 0; k < COUNT; k++) {
        segment.setAtIndex(ValueLayout.JAVA_INT, k, k);
      }
      return segment;
    }
  }

  /** A session of ONNX Runtime's Java API. */
  @State(Scope.Thread)
  public static class Jni {
    private final Path model = Unchecked.call(OrtCallBenchmark::simple);
    private final IntBuffer left = ramp();
    private final IntBuffer right = ramp();
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final IntBuffer sum = ramp();
    private final OrtSession session = Unchecked.call(this::open);
    private final Map<String, OnnxTensor> inputs =
        Map.of("INPUT0", newTensor(left), "INPUT1", newTensor(right));
    private final Map<String, OnnxValue> outputs =
        Map.of("OUTPUT0", newTensor(sum), "OUTPUT1", newTensor(ramp()));

    /** Frees all native objects except the environment, which belongs to the process. */
    @TearDown
    public void close() throws OrtException, IOException {
      inputs.values().forEach(OnnxTensor::close);
      outputs.values().forEach(OnnxValue::close);
      session.close();
      Files.delete(model);
    }

    private OrtSession open() throws OrtException {
      try (var options = new OrtSession.SessionOptions()) {
        options.setIntraOpNumThreads(1);
        options.setInterOpNumThreads(1);
        return environment.createSession(model.toString(), options);
      }
    }

    private OnnxTensor newTensor(IntBuffer data) {
      return Unchecked.call(() -> tensor(data));
    }

    private OnnxTensor tensor(IntBuffer data) throws OrtException {
      return OnnxTensor.createTensor(environment, data, DIMS);
    }

    private static IntBuffer ramp() {
      var buffer = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder()).asIntBuffer();
      for (int k = 0; k < COUNT; k++) {
        buffer.put(k, k);
      }
      return buffer;
    }
  }

  /** Reads inputs and writes outputs in place. */
  @Benchmark
  public int ffm(Ffm state) {
    state.run.begin();
    state.run.input(0, state.left, Ffm.INT32, state.shape);
    state.run.input(1, state.right, Ffm.INT32, state.shape);
    state.run.output(0, state.sum, Ffm.INT32, state.shape);
    state.run.output(1, state.difference, Ffm.INT32, state.shape);
    state.run.run();
    return checked(state.sum.getAtIndex(ValueLayout.JAVA_INT, COUNT - 1));
  }

  /** Creates tensors and result per call, as ONNX Runtime's examples do. */
  @Benchmark
  public int jniBaseline(Jni state) throws OrtException {
    try (var left = state.tensor(state.left);
        var right = state.tensor(state.right);
        var result = state.session.run(Map.of("INPUT0", left, "INPUT1", right))) {
      var sum = (OnnxTensor) result.get(0);
      return checked(sum.getIntBuffer().get(COUNT - 1));
    }
  }

  /** Reuses inputs and pinned outputs, the fastest way in the Java API. */
  @Benchmark
  public int jniPinnedBaseline(Jni state) throws OrtException {
    try (var _ = state.session.run(state.inputs, state.outputs)) {
      return checked(state.sum.get(COUNT - 1));
    }
  }

  private static int checked(int last) {
    if (last != 2 * (COUNT - 1)) {
      throw new AssertionError("the last sum is " + last);
    }
    return last;
  }

  /** Copies the example model from the class path to a file. */
  private static Path simple() throws IOException {
    return Files.write(Files.createTempFile("simple", ".onnx"), ExampleModels.onnx("simple"));
  }
}
