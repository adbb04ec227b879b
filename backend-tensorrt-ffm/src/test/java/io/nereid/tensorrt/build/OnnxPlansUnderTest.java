package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.OnnxParserDouble;
import io.nereid.tensorrt.engine.TensorRt;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds of plans of the model {@code m} in a temporary directory, against the doubles of
 * libnvinfer and libnvonnxparser.
 */
abstract class OnnxPlansUnderTest {
  static final String NETWORK = "input X FP32 [-1,4]\noutput Y FP32 [-1,4] identity X\n";
  static final Gpu GPU = new Gpu(0, NvinferDouble.GPU, "9.0");

  @TempDir Path temporary;
  final CudartDouble cuda = CudartDouble.get();
  final NvinferDouble nvinfer = NvinferDouble.get();
  final AtomicLong now = new AtomicLong();
  LongSupplier nanoTime = now::get;
  Executor later = Runnable::run;
  ModelFiles files;
  Path cacheDirectory;

  @BeforeAll
  static void bindParser() {
    OnnxParserDouble.get();
  }

  @BeforeEach
  void writeModel() throws IOException {
    files = new ModelFiles(temporary.resolve("m"), 1);
    cacheDirectory = temporary.resolve("cache");
    Files.createDirectories(files.versionDirectory());
    write(new OnnxFileWriter().input("X", -1, 4), NETWORK);
  }

  void assertRejected(ModelConfig config, String message) {
    assertThatThrownBy(() -> open(plans(), config))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining(message);
    assertCalls(Map.of("IBuilder_buildSerializedNetwork", 0));
  }

  void assertCalls(Map<String, Integer> expected) {
    Map<String, Integer> found = new HashMap<>();
    expected.keySet().forEach(function -> found.put(function, (int) cuda.calls(function)));
    assertThat(found).isEqualTo(expected);
  }

  void write(OnnxFileWriter model, String network) {
    model
        .documentation("double-network\n" + network + "end\n")
        .write(files.versionDirectory().resolve("model.onnx"));
  }

  String built(ModelConfig config) {
    try (Plan plan = open(plans(), config)) {
      return text(plan);
    }
  }

  static String text(Plan plan) {
    return new String(plan.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  Plan open(OnnxPlans plans, ModelConfig config) {
    return open(plans, config, GPU);
  }

  Plan open(OnnxPlans plans, ModelConfig config, Gpu gpu) {
    return new PlanSource(plans).open(files, config, gpu);
  }

  OnnxPlans plans() {
    return plans(cacheDirectory);
  }

  OnnxPlans plans(Path directory) {
    return new OnnxPlans(
        TensorRt.open(1),
        Optional.empty(),
        "13.0",
        cache(directory),
        4,
        () -> nanoTime.getAsLong(),
        later);
  }

  static PlanCache cache(Path directory) {
    return new PlanCache(directory, 0, InstantSource.system());
  }

  /**
   * A configuration of the model.
   *
   * @param maxBatchSize -1 for a configuration that is complete and does not batch
   */
  static ModelConfig config(int maxBatchSize, Map<String, String> parameters) {
    var all = new HashMap<>(parameters);
    all.put("tensorrt_build_from_onnx", "true");
    return maxBatchSize < 0
        ? Configs.of(0, List.of(Configs.input("X", -1, 4)), all)
        : Configs.of(maxBatchSize, List.of(), all);
  }
}
