package io.nereid.tensorrt.machine;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.onnx.OnnxBackendProvider;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.TensorRtBackendProvider;
import io.nereid.tensorrt.TestPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The model {@code digits} of the examples: an ONNX file, and images that it was not trained with.
 */
final class DigitsModel {
  static final String INPUT = "image";
  static final String OUTPUT = "probabilities";

  private static final int MAX_BATCH = 64;
  private static final Pattern DATA = Pattern.compile("\"data\":\\[([^]]*)]");
  private static final Path EXAMPLES =
      Path.of(System.getProperty("nereid.examples", "../examples")).toAbsolutePath();

  private DigitsModel() {}

  private static Path onnxFile() {
    return EXAMPLES.resolve("models/digits/1/model.onnx");
  }

  private static ModelConfig config(String backend) {
    return ModelConfig.of("digits", backend)
        .withSignature(
            MAX_BATCH,
            List.of(TensorConfig.of(INPUT, DataType.FP32, Shape.of(1, 8, 8))),
            List.of(TensorConfig.of(OUTPUT, DataType.FP32, Shape.of(10))));
  }

  /** Run by ONNX Runtime on the CPU. */
  static BackendUnderTest withOnnxRuntime() {
    return BackendUnderTest.of(
        new OnnxBackendProvider(),
        new ModelFiles(EXAMPLES.resolve("models/digits"), 1),
        config("onnxruntime"));
  }

  /**
   * Run by TensorRT, which builds a plan from the ONNX file when it is first loaded. Both compute
   * with FP32: TensorRT may not use TF32.
   *
   * @param repository a folder for the model
   * @param options of the backend
   */
  static BackendUnderTest withTensorRt(Path repository, Map<String, String> options)
      throws IOException {
    Path model = repository.resolve("digits");
    Path file = Files.createDirectories(model.resolve("1")).resolve("model.onnx");
    if (!Files.exists(file)) {
      Files.copy(onnxFile(), file);
    }
    Map<String, String> parameters =
        Map.of("tensorrt_build_from_onnx", "true", "use_tf32", "false");
    return new BackendUnderTest(
        new TensorRtBackendProvider(),
        TestContext.of("tensorrt", options),
        new ModelFiles(model, 1),
        TestPlans.with(config("tensorrt"), parameters),
        InstanceSettings.Kind.KIND_GPU);
  }

  /** The held-out images, each as a row. */
  static List<Tensor> images() throws IOException {
    List<Tensor> images = new ArrayList<>();
    try (Stream<Path> files = Files.list(EXAMPLES.resolve("digits/held-out"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        Matcher data = DATA.matcher(Files.readString(file));
        if (!data.find()) {
          throw new IOException(file + " has no data");
        }
        double[] pixels =
            Arrays.stream(data.group(1).split(",")).mapToDouble(Double::parseDouble).toArray();
        var values = new float[pixels.length];
        for (int i = 0; i < values.length; i++) {
          values[i] = (float) pixels[i];
        }
        images.add(TestPlans.floats(INPUT, Shape.of(1, 1, 8, 8), values));
      }
    }
    return images;
  }
}
