package io.nereid.tensorrt;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.CudaSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigBuilder;
import io.nereid.config.OptimizationSettings;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Models whose plans are for the double of libnvinfer, in model repositories in temporary folders,
 * and the backend with the doubles as its libraries.
 */
public final class TestPlans {
  /** The types of inputs and outputs that the backend supports. */
  public static final Set<DataType> TYPES =
      Set.of(
          DataType.FP32,
          DataType.FP16,
          DataType.BF16,
          DataType.INT8,
          DataType.UINT8,
          DataType.INT32,
          DataType.INT64,
          DataType.BOOL);

  /** The repositories of this JVM, which deletes them when it ends. */
  private static final Path FOLDER = temporaryFolder();

  private TestPlans() {}

  private static Path temporaryFolder() {
    try {
      Path folder = Files.createTempDirectory("nereid-plans");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      return folder;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A model's directory with the plan as version 1. */
  public static ModelFiles files(String model, PlanText plan) {
    return files(model, "model.plan", plan);
  }

  /** A model's directory with the plan under another name. */
  public static ModelFiles files(String model, String name, PlanText plan) {
    try {
      Path directory = Files.createTempDirectory(FOLDER, "plans").resolve(model);
      plan.writeTo(directory.resolve("1").resolve(name));
      return new ModelFiles(directory, 1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** With the backend's options: the doubles, and those of a test. */
  public static TestContext context(Map<String, String> options) {
    NvinferDouble.get();
    Map<String, String> all = new HashMap<>(options);
    all.put("cudart", CudartDouble.path().toString());
    all.put("nvinfer", NvinferDouble.path().toString());
    return TestContext.of("tensorrt", all);
  }

  /** A configuration to be completed from the plan. */
  public static ModelConfig bare(String model) {
    return ModelConfig.of(model, "tensorrt");
  }

  /** The backend with a model of that name, completed from its plan. */
  public static BackendUnderTest underTest(String model, PlanText plan) {
    return underTest(bare(model), plan, Map.of());
  }

  public static BackendUnderTest underTest(
      ModelConfig config, PlanText plan, Map<String, String> options) {
    return new BackendUnderTest(
        new TensorRtBackendProvider(),
        context(options),
        files(config.name(), plan),
        config,
        InstanceSettings.Kind.KIND_GPU);
  }

  /** A batching model: {@code OUTPUT0} is the sum of two inputs, {@code OUTPUT1} the difference. */
  public static PlanText simple() {
    return PlanText.simple();
  }

  /** A model that does not batch: {@code OUT} is {@code IN}, of any length up to 1024. */
  public static PlanText identity(DataType type) {
    return new PlanText()
        .input("IN", type, -1)
        .range("IN", 0, Shape.of(0), Shape.of(16), Shape.of(1024))
        .output("OUT", type, "identity IN", -1);
  }

  /** A batching model of up to 8 rows of {@code width}: {@code OUT} is twice {@code IN}. */
  public static PlanText doubling(long width) {
    return new PlanText()
        .input("IN", DataType.FP32, -1, width)
        .range("IN", 0, Shape.of(1, width), Shape.of(4, width), Shape.of(8, width))
        .output("OUT", DataType.FP32, "scale IN 2 0", -1, width);
  }

  /** A configuration with other settings of {@code optimization}. */
  public static ModelConfig with(ModelConfig config, OptimizationSettings optimization) {
    return plan(config).optimization(optimization).build();
  }

  /** A configuration with {@code optimization.cuda}. */
  public static ModelConfig with(ModelConfig config, CudaSettings cuda) {
    return with(
        config,
        new OptimizationSettings(
            0,
            OptimizationSettings.Priority.DEFAULT,
            List.of(),
            List.of(),
            cuda,
            true,
            true,
            0,
            false));
  }

  public static ModelConfig with(ModelConfig config, Map<String, String> parameters) {
    return plan(config).parameters(parameters).build();
  }

  public static ModelConfig with(
      ModelConfig config, List<BatchInput> batchInputs, List<BatchOutput> batchOutputs) {
    return plan(config).batchInputs(batchInputs).batchOutputs(batchOutputs).build();
  }

  private static ModelConfigBuilder plan(ModelConfig config) {
    return config.toBuilder().platform("tensorrt_plan");
  }

  /** The floats of a tensor. */
  public static float[] floats(Tensor tensor) {
    return tensor.data().toArray(Elements.FLOAT);
  }

  /** {@code rows} rows of {@code width} floats, all of one value. */
  public static Tensor rows(String name, long rows, long width, float value) {
    var values = new float[Math.toIntExact(rows * width)];
    Arrays.fill(values, value);
    return floats(name, Shape.of(rows, width), values);
  }

  /** Floats in memory of the heap. */
  public static Tensor floats(String name, Shape shape, float... values) {
    return new Tensor(name, DataType.FP32, shape, MemorySegment.ofArray(values));
  }

  public static Tensor ints(String name, Shape shape, int... values) {
    return new Tensor(name, DataType.INT32, shape, MemorySegment.ofArray(values));
  }

  public static Tensor longs(String name, Shape shape, long... values) {
    return new Tensor(name, DataType.INT64, shape, MemorySegment.ofArray(values));
  }
}
