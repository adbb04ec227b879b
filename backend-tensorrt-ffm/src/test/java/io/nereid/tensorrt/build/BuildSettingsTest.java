package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.tensorrt.build.BuildSettings.Precision;
import io.nereid.tensorrt.build.profile.ProfileParameter;
import io.nereid.tensorrt.build.profile.StatedRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuildSettingsTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "false", "0"})
  void nothingIsBuiltUnlessTheParameterSaysSo(String value) {
    assertThat(parse(Map.of("tensorrt_build_from_onnx", value))).isEmpty();
    assertThat(parse(Map.of("precision_mode", "nonsense"))).isEmpty();
  }

  @Test
  void theDefaultsAreThoseOfTensorRt() {
    BuildSettings settings = built(Map.of());

    assertThat(settings)
        .isEqualTo(
            new BuildSettings("", Set.of(), false, true, 0, OptionalInt.empty(), true, List.of()));
  }

  @Test
  void theParameterMayNameTheFile() {
    assertThat(built(Map.of("tensorrt_build_from_onnx", "net.onnx")).file()).isEqualTo("net.onnx");
  }

  @Test
  void namesOfTritonAndOnnxRuntimeAreUnderstood() {
    BuildSettings settings =
        built(
            Map.of(
                "precision_mode", "FP16, INT8",
                "max_workspace_size_bytes", "1073741824",
                "trt_builder_optimization_level", "5",
                "trt_timing_cache_enable", "0",
                "use_tf32", "false",
                "tensorrt_strongly_typed", "1"));

    assertThat(settings)
        .isEqualTo(
            new BuildSettings(
                "",
                Set.of(Precision.INT8, Precision.FP16),
                true,
                false,
                1L << 30,
                OptionalInt.of(5),
                false,
                List.of()));
  }

  @Test
  void rangesAreReadByInputWhoseNameMayContainColonsAndSlashes() {
    BuildSettings settings =
        built(Map.of("tensorrt_profile", "ids:*x16/*x64/*x128, a/b:0:1x3 ,shape:-1x2"));

    assertThat(settings.profiles())
        .containsExactly(
            new ProfileParameter(
                "tensorrt_profile",
                Map.of(
                    "ids",
                        new StatedRange(
                            List.of("*", "16"), List.of("*", "64"), List.of("*", "128")),
                    "a/b:0",
                        new StatedRange(List.of("1", "3"), List.of("1", "3"), List.of("1", "3")),
                    "shape",
                        new StatedRange(
                            List.of("-1", "2"), List.of("-1", "2"), List.of("-1", "2")))));
  }

  @Test
  void severalProfilesAreInTheOrderOfTheirNumbers() {
    var parameters = new HashMap<String, String>();
    for (int i = 0; i < 12; i++) {
      parameters.put("tensorrt_profile_" + i, "x:" + i);
    }

    assertThat(built(parameters).profiles())
        .extracting(ProfileParameter::key)
        .startsWith("tensorrt_profile_0", "tensorrt_profile_1", "tensorrt_profile_2")
        .endsWith("tensorrt_profile_10", "tensorrt_profile_11");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          precision_mode | FP8 | unsupported precision mode 'FP8' is requested
          use_tf32 | yes | parameter 'use_tf32' must be 0 or 1, false or true, got 'yes'
          max_workspace_size_bytes | -1 | parameter 'max_workspace_size_bytes' must be a number \
          from 0 to 9223372036854775807, got '-1'
          trt_builder_optimization_level | 6 | parameter 'trt_builder_optimization_level' must be a \
          number from 0 to 5, got '6'
          trt_builder_optimization_level | x | parameter 'trt_builder_optimization_level' must be a \
          number from 0 to 5, got 'x'
          tensorrt_profile | 1x2 | parameter 'tensorrt_profile' must be <input>:<min>/<opt>/<max>, \
          separated by commas; got '1x2'
          tensorrt_profile | x:1/2 | parameter 'tensorrt_profile', input 'x': '1/2' is neither one \
          shape nor <min>/<opt>/<max>
          tensorrt_profile | x:1/2x2/3 | parameter 'tensorrt_profile', input 'x': the shapes of \
          '1/2x2/3' differ in length
          tensorrt_profile | x:1xy | parameter 'tensorrt_profile', input 'x': '1xy' is no shape \
          such as 1x3x224x224 or *x64
          tensorrt_profile | x:1,x:2 | parameter 'tensorrt_profile' has input 'x' twice
          tensorrt_profile_1 | x:1 | there are 1 parameters 'tensorrt_profile_<number>' but no \
          'tensorrt_profile_0'
          """)
  void aWrongParameterIsNamedWithItsValue(String key, String value, String message) {
    assertThatThrownBy(() -> built(Map.of(key, value)))
        .isInstanceOf(InferenceException.class)
        .hasMessage("model 'm': " + message);
  }

  @Test
  void aSingleProfileAndNumberedOnesAreNotMixed() {
    var both = Map.of("tensorrt_profile", "x:1", "tensorrt_profile_0", "x:1");

    assertThatThrownBy(() -> built(both))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("'tensorrt_profile' is for a single profile");
  }

  private static BuildSettings built(Map<String, String> parameters) {
    var all = new HashMap<>(parameters);
    all.putIfAbsent("tensorrt_build_from_onnx", "true");
    return parse(all).orElseThrow();
  }

  private static Optional<BuildSettings> parse(Map<String, String> parameters) {
    return BuildSettings.of(Configs.of(0, List.of(), parameters));
  }
}
