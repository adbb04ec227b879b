package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.InferenceRuntime;
import io.nereid.tensorrt.engine.ProfileRange;
import io.nereid.tensorrt.engine.TensorRt;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Builds of plans against the doubles of libnvinfer and libnvonnxparser. What only a GPU can show,
 * such as that a plan computes what its ONNX file does, is not shown here.
 */
@UsesDoubles
@Timeout(120)
class OnnxPlansDoubleTest extends OnnxPlansUnderTest {
  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11, 10_00_00})
  void aPlanIsBuiltWithTheProfileOfTheConfigurationAndCanBeDeserialised(int version) {
    nvinfer.setVersion(version);
    TensorRt tensorRt = TensorRt.open(1);

    try (Plan plan = open(plans(), config(8, Map.of()));
        InferenceRuntime runtime = tensorRt.createRuntime(NvinferDouble.GPU);
        CudaEngine engine = runtime.deserialize(plan.bytes())) {
      ProfileRange range = engine.range(0, 0);
      assertThat(range.min()).isEqualTo(Shape.of(1, 4));
      assertThat(range.opt()).isEqualTo(Shape.of(8, 4));
      assertThat(range.max()).isEqualTo(Shape.of(8, 4));
      assertThat(engine.profileCount()).isEqualTo(1);
      assertThat(plan.file()).isEqualTo(files.versionDirectory().resolve("model.onnx"));
    }
    assertCalls(
        Map.of(
            "createInferBuilder", 1,
            "IBuilder_createNetworkV2", 1,
            "IBuilder_createBuilderConfig", 1,
            "IParser_parseFromFile", 1,
            "IBuilder_createOptimizationProfile", 1,
            "IOptimizationProfile_setDimensions", 3,
            "IBuilderConfig_addOptimizationProfile", 1,
            "IBuilderConfig_setProgressMonitor", 1,
            "IBuilderConfig_setTimingCache", 1,
            "IBuilder_buildSerializedNetwork", 1));
    assertCalls(Map.of("IBuilderConfig_setBuilderOptimizationLevel", 0, "IParser_getNbErrors", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void settingsReachTheBuilder(int version) {
    nvinfer.setVersion(version);

    String plan =
        built(
            config(
                8,
                Map.of(
                    "max_workspace_size_bytes", "1048576",
                    "trt_builder_optimization_level", "5",
                    "use_tf32", "0")));

    assertThat(plan.lines()).contains("# workspace 1048576", "# level 5", "# flags 0");
  }

  @Test
  void precisionsAreFlagsInTensorRt10() {
    assertThat(built(config(8, Map.of())).lines()).contains("# flags 64", "# network flags 0");
    assertThat(built(config(8, Map.of("precision_mode", "FP16,INT8"))).lines())
        .contains("# flags 67");
    assertThat(built(config(8, Map.of("precision_mode", "BF16"))).lines())
        .contains("# flags 131136");
    assertThat(built(config(8, Map.of("tensorrt_strongly_typed", "1"))).lines())
        .contains("# flags 64", "# network flags 2");
  }

  @Test
  void precisionsAreRefusedInTensorRt11BeforeAnythingIsBuilt() {
    nvinfer.setVersion(NvinferDouble.VERSION_11);

    assertRejected(
        config(8, Map.of("precision_mode", "FP16")),
        "model 'm': parameter 'precision_mode' cannot be FP16 with TensorRT 11.1.0, whose networks"
            + " are strongly typed; convert the ONNX file to that type instead");
    assertThat(built(config(8, Map.of("tensorrt_strongly_typed", "1"))).lines())
        .contains("# network flags 0");
  }

  @Test
  void precisionsAndStrongTypesExcludeEachOther() {
    assertRejected(
        config(8, Map.of("precision_mode", "FP16", "tensorrt_strongly_typed", "1")),
        "model 'm': parameter 'tensorrt_strongly_typed' keeps the types of the ONNX file, so"
            + " 'precision_mode' cannot be [FP16]");
  }

  @Test
  void severalProfilesAreAddedInOrder() {
    write(
        new OnnxFileWriter().input("X", -1, -1),
        "input X FP32 [-1,-1]\noutput Y FP32 [-1,-1] identity X\n");

    String plan =
        built(
            config(
                8,
                Map.of("tensorrt_profile_0", "X:*x2", "tensorrt_profile_1", "X:*x16/*x32/*x64")));

    assertThat(plan.lines())
        .contains("profiles 2", "range X 0 [1,2] [8,2] [8,2]", "range X 1 [1,16] [8,32] [8,64]");
  }

  @Test
  void aModelWithoutDynamicInputsHasNoProfile() {
    write(
        new OnnxFileWriter().input("X", 2, 4),
        "input X FP32 [2,4]\noutput Y FP32 [2,4] identity X\n");

    assertThat(built(config(0, Map.of()))).doesNotContain("range");
    assertCalls(Map.of("IBuilder_createOptimizationProfile", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {10_11_00, NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void theValuesOfAShapeTensorHaveTheirRange(int version) {
    nvinfer.setVersion(version);
    writeShapeModel();

    String plan = built(config(0, Map.of("tensorrt_profile", "X:1x4,S:1x2/2x2/8x2")));

    assertThat(plan.lines())
        .contains("values S 0 [1,2] [2,2] [8,2]", "range X 0 [1,4] [1,4] [1,4]");
    assertCalls(Map.of("IOptimizationProfile_setShapeValuesV2", 3));
  }

  @Test
  void theValuesOfAShapeTensorNeedTensorRt1011() {
    nvinfer.setVersion(10_10_00);
    writeShapeModel();

    assertRejected(
        config(0, Map.of("tensorrt_profile", "X:1x4,S:1x2")),
        "model 'm': the range of shape tensor 'S' needs TensorRT 10.11 or later, found 10.10.0");
  }

  @Test
  void aShapeTensorWithoutARangeIsNamedWithTheParameterToAdd() {
    writeShapeModel();

    assertRejected(
        config(0, Map.of("tensorrt_profile_0", "X:1x4")),
        "model 'm': input 'S' [2] is a shape tensor, so its values need a range; state it in"
            + " config.pbtxt as parameters { key: \"tensorrt_profile_0\" value: { string_value:"
            + " \"S:<min>/<opt>/<max>\" } } with numbers separated by x for <min>, <opt> and <max>");
  }

  @Test
  void aRangeOfValuesForAnInputThatIsNoShapeTensorIsRefused() {
    write(new OnnxFileWriter().input("X", 2), "input X FP32 [2]\noutput Y FP32 [2] identity X\n");

    assertRejected(
        config(0, Map.of("tensorrt_profile", "X:1x4")),
        "model 'm': parameter 'tensorrt_profile' has a range for input 'X', which has fixed"
            + " dimensions [2] and is no shape tensor");
  }

  private void writeShapeModel() {
    write(
        new OnnxFileWriter().input("X", -1, 4).input("S", 2),
        "input X FP32 [-1,4]\ninput S INT64 [2] shape\noutput Y FP32 [-1,-1] reshape X S\n");
  }

  @Test
  void aMissingRangeIsReportedWithoutABuilder() {
    assertRejected(config(-1, Map.of()), "\"X:<min>x*/<opt>x*/<max>x*\"");
    assertCalls(Map.of("createInferBuilder", 0));
  }
}
