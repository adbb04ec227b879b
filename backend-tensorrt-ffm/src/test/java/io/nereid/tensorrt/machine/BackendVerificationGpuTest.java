package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.PipelineVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.ServedModel;
import io.nereid.tensorrt.TestPlans;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The TCK's backend rules with plans that TensorRT builds on a GPU, from the ONNX files with which
 * the ONNX backend is tested.
 */
@Tag("gpu-trt")
class BackendVerificationGpuTest {
  @TempDir private static Path temporary;
  private static OnnxModels models;

  /** All at once, so that they share TensorRT's builder. */
  @BeforeAll
  static void buildPlans() {
    models = new OnnxModels(temporary);
    Stream<BackendUnderTest> all =
        Stream.concat(
            Stream.of(simple(), fixed(), nonZero()),
            TestPlans.TYPES.stream().map(type -> identity(type).orElseThrow()));
    models.build(all.toList());
  }

  private static BackendUnderTest simple() {
    return models.underTest(TestPlans.bare("simple"), Map.of());
  }

  private static BackendUnderTest fixed() {
    return models.underTest(TestPlans.bare("fixed"), Map.of());
  }

  private static BackendUnderTest nonZero() {
    ModelConfig config =
        TestPlans.bare("nonzero")
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1))),
                List.of(TensorConfig.of("OUT", DataType.INT64, Shape.of(1, -1))));
    return models.underTest(config, Map.of("tensorrt_profile", "IN:1/8/64"));
  }

  private static Optional<BackendUnderTest> identity(DataType type) {
    if (!TestPlans.TYPES.contains(type)) {
      return Optional.empty();
    }
    ModelConfig config =
        TestPlans.bare("identity_" + type.name().toLowerCase(Locale.ROOT))
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", type, Shape.of(-1))),
                List.of(TensorConfig.of("OUT", type, Shape.of(-1))));
    return Optional.of(
        models.underTest(
            config, Map.of("tensorrt_profile", "IN:0/7/64", "tensorrt_strongly_typed", "true")));
  }

  /** Has every verification use the same batching model. */
  interface Simple extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return simple();
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Simple {}

  @Nested
  class Execution extends ExecutionVerification implements Simple {}

  @Nested
  class ExecutionWithoutRows extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return fixed();
    }
  }

  @Nested
  class Memory extends MemoryVerification implements Simple {}

  @Nested
  class Threading extends ThreadingVerification implements Simple {}

  @Nested
  class Pipeline extends PipelineVerification implements Simple {}

  @Nested
  class Types extends TypesVerification {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      return BackendVerificationGpuTest.identity(type);
    }
  }

  @Nested
  class Errors extends ErrorVerification implements Simple {
    @Override
    protected BackendUnderTest unloadable() {
      return models.underTest(TestPlans.bare("corrupt"), Map.of());
    }
  }

  @Test
  void theShapeOfAnOutputFollowsFromTheData() {
    try (var served = ServedModel.open(nonZero())) {
      assertThat(nonZeroAt(served, 0, 5, 0, 7, 1)).containsExactly(1, 3, 4);
      assertThat(nonZeroAt(served, 0, 0, 0)).isEmpty();
      assertThat(nonZeroAt(served, 1)).containsExactly(0);
    }
  }

  private static long[] nonZeroAt(ServedModel served, float... values) {
    Tensor input = TestPlans.floats("IN", Shape.of(values.length), values);
    Tensor found = served.execute(List.of(List.of(input))).output(0, "OUT");
    assertThat(found.shape()).isEqualTo(Shape.of(1, found.byteSize() / Long.BYTES));
    return found.data().toArray(Elements.LONG);
  }
}
