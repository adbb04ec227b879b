package io.nereid.tensorrt.machine;

import io.nereid.config.ModelConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.ServedModel;
import io.nereid.tensorrt.build.Gpu;
import io.nereid.tensorrt.build.PlanSource;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.cuda.PinnedMemory;
import io.nereid.tensorrt.engine.AllocationStrategy;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.EngineTensor;
import io.nereid.tensorrt.engine.ExecutionContext;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.library.GpuSupport;
import io.nereid.tensorrt.library.NativeLibraries;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * How long a batch takes: in the backend, from the call to the outputs in host memory, and on the
 * stream, from the copy of the input to the copy of the output, as two events measure it.
 *
 * @param streamMillis the median of the time on the stream
 * @param millis the median of the whole time
 * @param millis99 the 99th percentile of the whole time
 */
record Latency(int rows, double streamMillis, double millis, double millis99) {
  private static final int WARM_UPS = 50;

  /**
   * @param inputs one row each
   */
  static Latency measure(BackendUnderTest model, List<Tensor> inputs, int rounds) {
    double[] whole = backendMillis(model, inputs, rounds);
    double[] stream = streamMillis(model, inputs.size(), rounds);
    return new Latency(
        inputs.size(), stream[rounds / 2], whole[rounds / 2], whole[rounds * 99 / 100]);
  }

  private static double[] backendMillis(BackendUnderTest model, List<Tensor> inputs, int rounds) {
    List<List<Tensor>> requests = inputs.stream().map(List::of).toList();
    double[] millis = new double[rounds];
    try (var served = ServedModel.open(model)) {
      for (int i = -WARM_UPS; i < rounds; i++) {
        var batch = served.pinnedBatch(requests);
        long start = System.nanoTime();
        served.execute(batch);
        long end = System.nanoTime();
        if (i >= 0) {
          millis[i] = (end - start) / 1e6;
        }
      }
    }
    Arrays.sort(millis);
    return millis;
  }

  private static double[] streamMillis(BackendUnderTest model, int rows, int rounds) {
    var available =
        switch (NativeLibraries.probe(model.context().options())) {
          case GpuSupport.Available found -> found;
          case GpuSupport.Unavailable missing -> throw new AssertionError(missing.reason());
        };
    available.bind();
    TensorRt tensorRt = TensorRt.open(available.devices().size());
    PlanSource plans = PlanSource.of(model.context().options(), tensorRt, available);
    CudaDevice device = CudaDevice.of(0);
    device.use();
    ModelConfig config;
    try (var backend = model.provider().open(model.context())) {
      config = backend.complete(model.files(), model.config());
    }
    var gpu = new Gpu(device.id(), device.name(), device.computeCapability());
    try (var plan = plans.open(model.files(), config, gpu);
        var runtime = tensorRt.createRuntime(device.name());
        var engine = runtime.deserialize(plan.bytes());
        var context = engine.createContext(AllocationStrategy.STATIC);
        var stream = CudaStream.create(0);
        var pool = DeviceMemoryPool.create(device)) {
      return millisOnStream(engine, context, stream, pool, rows, rounds);
    }
  }

  private static double[] millisOnStream(
      CudaEngine engine,
      ExecutionContext context,
      CudaStream stream,
      DeviceMemoryPool pool,
      int rows,
      int rounds) {
    EngineTensor input = only(engine, EngineTensor.Mode.INPUT);
    EngineTensor output = only(engine, EngineTensor.Mode.OUTPUT);
    context.setProfile(0, stream);
    Shape inputShape = input.dims().withFirst(rows);
    context.setInputShape(input.index(), inputShape);
    long inputBytes = inputShape.elementCount() * Float.BYTES;
    long outputBytes = output.dims().withFirst(rows).elementCount() * Float.BYTES;
    var pinned = new PinnedMemory(stream.device());
    MemorySegment from = pinned.allocate(inputBytes).fill((byte) 0);
    MemorySegment to = pinned.allocate(outputBytes);
    DeviceBuffer in = pool.allocate(inputBytes, stream);
    DeviceBuffer out = pool.allocate(outputBytes, stream);
    context.setAddress(input.index(), in.address());
    context.setAddress(output.index(), out.address());
    double[] millis = new double[rounds];
    try (var start = CudaEvent.create(true, true);
        var end = CudaEvent.create(true, true)) {
      for (int i = -WARM_UPS; i < rounds; i++) {
        start.record(stream);
        stream.copyToDevice(in, 0, from, inputBytes);
        context.enqueue(stream);
        stream.copyToHost(to, out, 0, outputBytes);
        end.record(stream);
        end.synchronize();
        if (i >= 0) {
          millis[i] = CudaEvent.millisBetween(start, end);
        }
      }
    } finally {
      in.free(stream);
      out.free(stream);
      stream.synchronize();
      pinned.free(from);
      pinned.free(to);
    }
    Arrays.sort(millis);
    return millis;
  }

  private static EngineTensor only(CudaEngine engine, EngineTensor.Mode mode) {
    return engine.tensors().stream().filter(t -> t.mode() == mode).findFirst().orElseThrow();
  }

  static void print(List<Latency> latencies, PrintStream out) {
    out.printf("%6s %12s %12s %12s%n", "batch", "stream ms", "backend ms", "99 % ms");
    for (Latency l : latencies) {
      out.printf(
          "%6d %12.4f %12.4f %12.4f%n", l.rows(), l.streamMillis(), l.millis(), l.millis99());
    }
  }
}
