package io.nereid.tensorrt.build.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.build.Configs;
import io.nereid.tensorrt.build.onnx.OnnxGraph;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProfileResolverTest {
  private static final OnnxGraph.Input IDS = input("ids", -1, -1);
  private static final OnnxGraph.Input MASK = input("mask", -1, -1);
  private static final OnnxGraph.Input IMAGE = input("image", -1, 3, -1, -1);
  private static final OnnxGraph.Input FIXED = input("fixed", 4, 5);
  private static final OnnxGraph.Input SHAPE = input("shape", 2);

  @Test
  void aModelWithoutDynamicInputsNeedsNoProfile() {
    assertThat(resolve(Configs.of(0, List.of(), Map.of()), FIXED)).isEmpty();
  }

  @Test
  void theBatchDimensionIsOneUpToTheMaximumBatchSize() {
    ModelConfig config = Configs.of(8, List.of(), Map.of());

    assertThat(resolve(config, input("x", -1, 5)))
        .containsExactly(profile(dims("x", List.of(1L, 5L), List.of(8L, 5L), List.of(8L, 5L))));
  }

  @Test
  void theOptimumIsTheLargestPreferredBatchSize() {
    ModelConfig config = Configs.of(8, List.of(), Map.of());
    var oldest = new SequenceSettings.Strategy.Oldest(4, List.of(2), 0, false);

    assertThat(
            resolve(config.withScheduling(BatchingSettings.of(List.of(4, 2), 0)), input("x", -1)))
        .containsExactly(profile(dims("x", List.of(1L), List.of(4L), List.of(8L))));
    assertThat(
            resolve(
                config.withScheduling(new SequenceSettings(0, List.of(), oldest, List.of(), false)),
                input("x", -1)))
        .containsExactly(profile(dims("x", List.of(1L), List.of(2L), List.of(8L))));
  }

  @Test
  void aConfigurationToBeCompletedHasTheDefaultBatchSizeAsAfterCompletion() {
    ModelConfig before = Configs.of(0, List.of(), Map.of());
    ModelConfig after =
        Configs.of(4, List.of(Configs.input("x", 5)), Map.of())
            .withScheduling(BatchingSettings.of(List.of(4), 0));

    assertThat(resolve(before, input("x", -1, 5)))
        .isEqualTo(resolve(after, input("x", -1, 5)))
        .containsExactly(profile(dims("x", List.of(1L, 5L), List.of(4L, 5L), List.of(4L, 5L))));
  }

  @Test
  void configuredDimsWithoutABatchDimensionSayThatTheModelBatches() {
    ModelConfig config = Configs.of(0, List.of(Configs.input("x", 5)), Map.of());

    assertThat(resolve(config, input("x", -1, -1)))
        .containsExactly(profile(dims("x", List.of(1L, 5L), List.of(4L, 5L), List.of(4L, 5L))));
  }

  @Test
  void configuredDimsOfTheSameRankSayThatItDoesNot() {
    ModelConfig config = Configs.of(0, List.of(Configs.input("x", -1, 5)), Map.of());

    assertThatThrownBy(() -> resolve(config, input("x", -1, -1)))
        .hasMessageContaining("\"x:<min>x*/<opt>x*/<max>x*\"");
  }

  @Test
  void aModelWithAnInputWithoutBatchDimensionIsNotBatchedByDefault() {
    ModelConfig config = Configs.of(0, List.of(), Map.of());

    assertThatThrownBy(() -> resolve(config, input("x", -1, 5), FIXED))
        .hasMessageContaining("input 'x' [-1, 5]");
  }

  @Test
  void sizesThatTheConfigurationStatesAreFixed() {
    ModelConfig config = Configs.of(2, List.of(Configs.input("image", 3, 224, 224)), Map.of());

    assertThat(resolve(config, IMAGE))
        .containsExactly(
            profile(
                dims(
                    "image",
                    List.of(1L, 3L, 224L, 224L),
                    List.of(2L, 3L, 224L, 224L),
                    List.of(2L, 3L, 224L, 224L))));
  }

  @Test
  void statedRangesCountAndAStarStandsForWhatIsKnown() {
    ModelConfig config = config(8, "tensorrt_profile", "ids:*x16/2x64/32x128,mask:*x1/*x2/*x3");

    assertThat(resolve(config, IDS, MASK))
        .containsExactly(
            profile(
                dims("ids", List.of(1L, 16L), List.of(2L, 64L), List.of(32L, 128L)),
                dims("mask", List.of(1L, 1L), List.of(8L, 2L), List.of(8L, 3L))));
  }

  @Test
  void eachNumberedParameterIsAProfile() {
    ModelConfig config =
        Configs.of(
            8,
            List.of(),
            Map.of(
                "tensorrt_build_from_onnx", "true",
                "tensorrt_profile_0", "ids:*x16",
                "tensorrt_profile_1", "ids:*x512"));

    assertThat(resolve(config, IDS))
        .containsExactly(
            profile(dims("ids", List.of(1L, 16L), List.of(8L, 16L), List.of(8L, 16L))),
            profile(dims("ids", List.of(1L, 512L), List.of(8L, 512L), List.of(8L, 512L))));
  }

  @Test
  void aRangeOfAFixedInputIsOneOfValuesWhichMayBeNegative() {
    ModelConfig config = config(0, "tensorrt_profile", "shape:-1x1/-1x8/-1x16");

    assertThat(resolve(config, SHAPE))
        .containsExactly(
            profile(
                new Profile.Range(
                    "shape", true, List.of(-1L, 1L), List.of(-1L, 8L), List.of(-1L, 16L))));
  }

  @Test
  void allInputsWithoutARangeAreNamedWithTheParameterToAdd() {
    ModelConfig config = config(8, "tensorrt_profile", "image:*x*x224x224,mask:*x*/*x*/*x4");

    assertThatThrownBy(() -> resolve(config, IDS, MASK, IMAGE, FIXED))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessage(
            "model 'm': no plan can be built from 'model.onnx' without a range for"
                + " input 'ids' [-1, -1] and input 'mask' [-1, -1]; state it in config.pbtxt as"
                + " parameters { key: \"tensorrt_profile\" value: { string_value:"
                + " \"image:*x*x224x224/*x*x224x224/*x*x224x224,"
                + "ids:*x<min>/*x<opt>/*x<max>,mask:*x<min>/*x<opt>/*x<max>\" } }"
                + " with numbers for <min>, <opt> and <max>");
  }

  @Test
  void theMissingRangeOfANumberedProfileIsAskedForUnderItsNumber() {
    ModelConfig config =
        Configs.of(
            8,
            List.of(),
            Map.of(
                "tensorrt_build_from_onnx", "true",
                "tensorrt_profile_0", "ids:*x16,mask:*x16",
                "tensorrt_profile_1", "ids:*x512"));

    assertThatThrownBy(() -> resolve(config, IDS, MASK))
        .hasMessageContaining("for input 'mask' [-1, -1]; ")
        .hasMessageContaining("key: \"tensorrt_profile_1\"")
        .hasMessageContaining("\"ids:*x512/*x512/*x512,mask:*x<min>/*x<opt>/*x<max>\"");
  }

  @Test
  void aRaggedInputHasNoBatchDimension() {
    var ragged =
        new io.nereid.config.TensorConfig(
            "x",
            io.nereid.tensor.DataType.FP32,
            io.nereid.tensor.Shape.of(-1),
            java.util.Optional.empty(),
            false,
            true,
            false,
            io.nereid.config.TensorConfig.Format.FORMAT_NONE,
            "");

    assertThatThrownBy(() -> resolve(Configs.of(8, List.of(ragged), Map.of()), input("x", -1)))
        .hasMessageContaining("\"x:<min>/<opt>/<max>\"");
  }

  @Test
  void rangesThatDoNotFitTheirInputAreRejected() {
    assertRejected("nothing:1", "has input 'nothing', the inputs of 'model.onnx' are [ids, shape]");
    assertRejected("ids:1x2x3", "has 3 dimensions for input 'ids' of 'model.onnx', which has 2");
    assertRejected("ids:1x-2", "has -2 for dimension 1 of input 'ids', which is a size");
    assertRejected(
        "ids:1x9/1x8/1x7", "must ascend in profile parameter 'tensorrt_profile', got 9, 8 and 7");
    assertRejected(
        "ids:1x2,shape:1", "has 1 values for shape tensor 'shape' of 'model.onnx', which has 2");
    assertRejected("ids:1x2,shape:*x1", "must state all values of shape tensor 'shape'");
    assertThatThrownBy(() -> resolve(config(0, "tensorrt_profile", "image:1x4x5x6"), IMAGE))
        .hasMessageContaining("has 4 for dimension 1 of input 'image', which is 3 in 'model.onnx'");
  }

  private static void assertRejected(String ranges, String message) {
    assertThatThrownBy(() -> resolve(config(0, "tensorrt_profile", ranges), IDS, SHAPE))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message);
  }

  private static ModelConfig config(int maxBatchSize, String key, String ranges) {
    return Configs.of(
        maxBatchSize, List.of(), Map.of("tensorrt_build_from_onnx", "true", key, ranges));
  }

  private static List<Profile> resolve(ModelConfig config, OnnxGraph.Input... inputs) {
    var graph = new OnnxGraph(List.of(inputs), Set.of());
    return new ProfileResolver(graph, config, "model.onnx", 4)
        .resolve(ProfileParameter.all(config.name(), config.parameters()));
  }

  private static OnnxGraph.Input input(String name, long... dims) {
    return new OnnxGraph.Input(name, Arrays.stream(dims).boxed().toList());
  }

  private static Profile profile(Profile.Range... ranges) {
    return new Profile(List.of(ranges));
  }

  private static Profile.Range dims(String name, List<Long> min, List<Long> opt, List<Long> max) {
    return new Profile.Range(name, false, min, opt, max);
  }
}
