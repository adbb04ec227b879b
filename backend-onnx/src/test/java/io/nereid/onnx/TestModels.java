package io.nereid.onnx;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** The models of {@code src/test/python/make_test_models.py}, in a model repository. */
final class TestModels {
  private static final Path REPOSITORY = Path.of("target", "test-repository");

  private TestModels() {}

  /** Creates the model's directory, with its file as version 1. */
  static ModelFiles files(String model) {
    try (InputStream content = TestModels.class.getResourceAsStream(resource(model))) {
      if (content == null) {
        throw new IllegalArgumentException("no test model " + model);
      }
      Path folder = REPOSITORY.resolve(model);
      Path version = Files.createDirectories(folder.resolve("1"));
      Path part = Files.createTempFile(version, "model", ".part");
      Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, version.resolve("model.onnx"), StandardCopyOption.ATOMIC_MOVE);
      return new ModelFiles(folder, 1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String resource(String model) {
    return "/models/" + model + ".onnx";
  }

  /** A configuration to be completed from the model's file. */
  static ModelConfig bare(String model) {
    return ModelConfig.of(model, "onnxruntime");
  }

  /** A configuration without a batch dimension. */
  static ModelConfig unbatched(String model, List<TensorConfig> inputs, TensorConfig... outputs) {
    return bare(model).withSignature(0, inputs, List.of(outputs));
  }

  static ModelConfig withParameters(ModelConfig config, Map<String, String> parameters) {
    return config.toBuilder().parameters(parameters).build();
  }

  /** The configuration with {@code model_operations}. */
  static ModelConfig withOperationLibraries(ModelConfig config, List<String> libraries) {
    return config.toBuilder().operationLibraries(libraries).build();
  }

  /** The configuration with an accelerator of the CPU. */
  static ModelConfig withAccelerator(ModelConfig config, Accelerator accelerator) {
    return withOptimization(
        config, OptimizationSettings.DEFAULT.graphLevel(), List.of(accelerator));
  }

  /** The configuration with {@code optimization.graph.level}. */
  static ModelConfig withGraphLevel(ModelConfig config, int level) {
    return withOptimization(config, level, List.of());
  }

  private static ModelConfig withOptimization(
      ModelConfig config, int graphLevel, List<Accelerator> cpuAccelerators) {
    var defaults = OptimizationSettings.DEFAULT;
    var optimization =
        new OptimizationSettings(
            graphLevel,
            defaults.priority(),
            List.of(),
            cpuAccelerators,
            defaults.cuda(),
            defaults.inputPinnedMemory(),
            defaults.outputPinnedMemory(),
            defaults.gatherKernelBufferThreshold(),
            defaults.eagerBatching());
    return config.toBuilder().optimization(optimization).build();
  }

  static ModelConfig withBatchTensors(
      ModelConfig config, List<BatchInput> batchInputs, List<BatchOutput> batchOutputs) {
    return config.toBuilder().batchInputs(batchInputs).batchOutputs(batchOutputs).build();
  }

  /** The failure to load a model that has a file, with an instance on the CPU. */
  static InferenceException loadFailure(ModelConfig config) {
    return loadFailure(files(config.name()), config, InstanceSettings.Kind.KIND_CPU);
  }

  static InferenceException loadFailure(
      ModelFiles files, ModelConfig config, InstanceSettings.Kind kind) {
    return catchThrowableOfType(
        InferenceException.class,
        () -> {
          var instance = new InstanceSettings("i", kind, 0, List.of(), false);
          try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"));
              var model = backend.load(files, config)) {
            model.open(instance).close();
          }
        });
  }

  static BackendUnderTest underTest(ModelConfig config) {
    return BackendUnderTest.of(new OnnxBackendProvider(), files(config.name()), config);
  }

  static Tensor floats(String name, Shape shape, float... values) {
    return new Tensor(name, DataType.FP32, shape, MemorySegment.ofArray(values));
  }

  static Tensor ints(String name, Shape shape, int... values) {
    return new Tensor(name, DataType.INT32, shape, MemorySegment.ofArray(values));
  }

  static Tensor longs(String name, Shape shape, long... values) {
    return new Tensor(name, DataType.INT64, shape, MemorySegment.ofArray(values));
  }
}
