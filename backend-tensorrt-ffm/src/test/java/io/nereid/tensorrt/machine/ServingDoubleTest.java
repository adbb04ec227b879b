package io.nereid.tensorrt.machine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.ServedModel;
import io.nereid.tensorrt.TensorRtBackendProvider;
import io.nereid.tensorrt.TestPlans;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NativeDoubles;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.OnnxParserDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of {@link ServingGpuTest} with the doubles, so that they are known to be right before
 * they meet a GPU. The double of the parser takes what a network computes from the documentation of
 * the ONNX file; the figures mean nothing.
 */
@UsesDoubles
class ServingDoubleTest extends ServingVerification {
  @TempDir private Path temporary;
  private final List<Example> examples = new ArrayList<>();

  @BeforeAll
  static void bindParser() {
    OnnxParserDouble.get();
  }

  @BeforeEach
  void writeModel() throws IOException {
    Files.createDirectories(temporary.resolve("m/1"));
    new OnnxFileWriter()
        .input("IN", -1, 2)
        .documentation(network("input IN FP32 [-1,2]", "output OUT FP32 [-1,2] scale IN 2 0"))
        .write(temporary.resolve("m/1/model.onnx"));
    for (int i = 0; i < 40; i++) {
      examples.add(
          new Example(
              TestPlans.floats("IN", Shape.of(1, 2), i, -i),
              TestPlans.floats("OUT", Shape.of(1, 2), 2 * i, -2 * i)));
    }
  }

  private static String network(String... lines) {
    return "double-network\n" + String.join("\n", lines) + "\nend\n";
  }

  private Map<String, String> options() {
    Path parser =
        NativeDoubles.compile("nvonnxparser_double.c", NvinferDouble.path(), CudartDouble.path());
    return TestPlans.context(
            Map.of(
                "nvonnxparser", parser.toString(),
                "plan-cache-directory", temporary.resolve("plans").toString()))
        .options()
        .all();
  }

  @Override
  Path folder() {
    return temporary;
  }

  @Override
  BackendUnderTest model() {
    var config =
        ModelConfig.of("m", "tensorrt")
            .withSignature(
                8,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(2))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(2))));
    return new BackendUnderTest(
        new TensorRtBackendProvider(),
        TestPlans.context(options()),
        new ModelFiles(temporary.resolve("m"), 1),
        TestPlans.with(config, Map.of("tensorrt_build_from_onnx", "true")),
        InstanceSettings.Kind.KIND_GPU);
  }

  @Override
  List<Example> examples() {
    return examples;
  }

  @Override
  double tolerance() {
    return 0;
  }

  @Test
  void measuresOnTheStreamAndAroundTheBackend() {
    Latency latency = latency(4, 10);

    assertThat(latency.rows()).isEqualTo(4);
    assertThat(latency.millis()).isPositive();
    assertThat(latency.streamMillis()).isNotNegative();
  }

  /** With a network that is not the model's, so it cannot answer. */
  @Test
  void theConfigurationOfTheDigitsModelIsBuiltAndOpened() throws IOException {
    BackendUnderTest digits = DigitsModel.withTensorRt(temporary, options());
    document(
        temporary.resolve("digits/1/model.onnx"),
        network("input image FP32 [-1,1,8,8]", "output probabilities FP32 [-1,10] identity image"));

    List<Tensor> images = DigitsModel.images();
    assertThat(images).hasSize(360);
    try (var served = ServedModel.open(digits)) {
      assertThat(served.config().maxBatchSize()).isEqualTo(64);
    }
  }

  /** Adds a doc_string, field 6 of ModelProto (onnx.proto). */
  private static void document(Path onnx, String text) throws IOException {
    byte[] value = text.getBytes(UTF_8);
    var field = new ByteArrayOutputStream();
    field.write((6 << 3) | 2);
    int rest = value.length;
    for (; rest >= 0x80; rest >>>= 7) {
      field.write((rest & 0x7f) | 0x80);
    }
    field.write(rest);
    field.writeBytes(value);
    Files.write(onnx, field.toByteArray(), StandardOpenOption.APPEND);
  }
}
