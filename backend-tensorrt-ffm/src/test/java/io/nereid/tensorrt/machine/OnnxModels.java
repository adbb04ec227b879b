package io.nereid.tensorrt.machine;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tensorrt.TensorRtBackendProvider;
import io.nereid.tensorrt.TestPlans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Models whose plans TensorRT builds on this machine's GPU, from the ONNX files of the tests of
 * {@code backend-onnx}.
 */
final class OnnxModels {
  private static final Path FILES =
      Path.of(
          System.getProperty("nereid.onnx.models", "../backend-onnx/src/test/resources/models"));

  private final Path repository;

  /**
   * @param repository a folder for the models and their plans
   */
  OnnxModels(Path repository) {
    this.repository = repository;
  }

  /** The backend's options: the libraries that were named, and a plan cache in a folder. */
  static Map<String, String> options(Path folder) {
    Map<String, String> options = new HashMap<>();
    for (String library : List.of("cudart", "nvinfer", "nvonnxparser", "nvinfer-plugin")) {
      String file = System.getProperty("tensorrt." + library, "");
      if (!file.isEmpty()) {
        options.put(library, file);
      }
    }
    options.put("plan-cache-directory", folder.resolve("plans").toString());
    return options;
  }

  /** A model, with the file that has its name as version 1. */
  BackendUnderTest underTest(ModelConfig config, Map<String, String> parameters) {
    Path model = repository.resolve(config.name());
    try {
      Path file = Files.createDirectories(model.resolve("1")).resolve("model.onnx");
      if (!Files.exists(file)) {
        Files.copy(FILES.resolve(config.name() + ".onnx"), file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Map<String, String> all = new HashMap<>(parameters);
    all.put("tensorrt_build_from_onnx", "true");
    return new BackendUnderTest(
        new TensorRtBackendProvider(),
        TestContext.of("tensorrt", options(repository)),
        new ModelFiles(model, 1),
        TestPlans.with(config, all),
        InstanceSettings.Kind.KIND_GPU);
  }

  /**
   * Builds the plans of models at the same time; tests then find them in the cache. What cannot be
   * built is left to the tests of its model.
   */
  void build(List<BackendUnderTest> models) {
    BackendUnderTest any = models.getFirst();
    try (var backend = any.provider().open(any.context());
        var threads = Executors.newFixedThreadPool(models.size())) {
      models.forEach(model -> threads.execute(() -> build(backend, model)));
    }
  }

  private static void build(Backend backend, BackendUnderTest model) {
    try {
      backend.complete(model.files(), model.config());
    } catch (InferenceException failure) {
      System.out.println("not built: " + failure.getMessage());
    }
  }
}
