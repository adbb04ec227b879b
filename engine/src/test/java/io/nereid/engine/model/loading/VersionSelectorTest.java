package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.TextFormat;
import io.nereid.protocol.config.ModelVersionPolicy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionSelectorTest {
  private static final List<Long> AVAILABLE = List.of(1L, 3L, 7L);

  static Stream<Arguments> policies() {
    return Stream.of(
        arguments("", List.of(7L)),
        arguments("latest { num_versions: 1 }", List.of(7L)),
        arguments("latest { num_versions: 2 }", List.of(3L, 7L)),
        arguments("latest { num_versions: 4294967295 }", AVAILABLE),
        arguments("all {}", AVAILABLE),
        arguments("specific { versions: [1, 9] }", List.of(1L)),
        arguments("specific { versions: [7, 1, 7] }", List.of(1L, 7L)));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void selectsTheVersionsOfThePolicy(String policy, List<Long> expected) throws Exception {
    assertThat(select(policy, AVAILABLE)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"specific { versions: 9 }", "specific {}", "latest {}"})
  void rejectsAPolicyThatSelectsNoVersion(String policy) {
    assertThatThrownBy(() -> select(policy, AVAILABLE))
        .hasMessage("at least one version must be available under the version policy of model 'm'");
  }

  @Test
  void rejectsAModelWithoutVersions() {
    assertThatThrownBy(() -> select("all {}", List.of()))
        .hasMessage("at least one version must be available under the version policy of model 'm'");
  }

  private static List<Long> select(String policy, List<Long> available)
      throws TextFormat.ParseException {
    return VersionSelector.select(
        "m", TextFormat.parse(policy, ModelVersionPolicy.class), available);
  }
}
