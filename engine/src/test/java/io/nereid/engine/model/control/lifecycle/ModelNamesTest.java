package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.repository.LocalRepository;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The one rule for names of models, at each door by which a name comes. */
class ModelNamesTest extends LifecycleTests {
  private static final String JSON =
      """
      {"backend": "lifecycle", "max_batch_size": 0,
       "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
       "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4]}],
       "instance_group": [{"kind": "KIND_CPU", "count": 1}]}
      """;

  private static final Map<String, ByteBuffer> FILES =
      Map.of("1/model.bin", ByteBuffer.wrap("model".getBytes(UTF_8)));

  @ParameterizedTest
  @ValueSource(
      strings = {".hidden", "...", "..m", "-rf", "-", "a\nb", "\u001b[2Ja", "a\u007fb", "a\u009bb"})
  void noModelHasANameOfAnOptionOrAHiddenFileOrWithControlCharacters(String name) {
    write(name);

    assertThat(loadFailure(name)).hasMessageStartingWith("failed to load '" + name + "'");
    assertThat(failure(() -> loadWith(name, JSON))).isNotNull();
    assertThat(failure(() -> loadWith(name, JSON, FILES)))
        .hasMessageContaining(
            "invalid model name '%s', expected one without control characters that begins with neither a dot nor a dash"
                .formatted(name));
    assertThat(failure(() -> loadWith("e", ensembleOf(name), FILES)))
        .hasMessageContaining("load failed for model 'e'");
    assertThat(index()).noneMatch(row -> row.contains(" READY"));
    assertThat(failure(() -> submit(name, "r")))
        .hasMessage("Request for unknown model: '%s' is not found", name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-rf", "a\nb"})
  void theFolderOfSuchANameIsNoModelAndTheIndexSaysWhy(String name) {
    write(name);
    manager.close();
    manager = manager(repositories(), control(ControlMode.NONE, List.of(), false));

    assertThat(manager.loadAll()).isFalse();

    assertThat(manager.startFailures()).contains("expected one without control characters");
    assertThat(manager.index(false))
        .singleElement()
        .satisfies(row -> assertThat(row.reason()).contains("invalid model name"));
  }

  @Test
  void aModelThatIsInNoRepositoryIsAnsweredWithTheNearest() {
    write("digits");
    manager.close();
    manager = manager(repositories(), explicit(List.of("digit")));

    assertThat(manager.loadAll()).isFalse();

    assertThat(manager.startFailures())
        .isEqualTo(
            "1 of 1 models did not load: digit (model not found in any model repository; did you"
                + " mean 'digits'?)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-rf", ".m", "a\nb"})
  void noModelFileWithoutALayoutHasIt(String name) {
    repository.write("config.pbtxt", config("")).write("model.bin", "model");
    manager.close();
    manager =
        managerOf(List.of(new LocalRepository(directory, Optional.of(name))), explicit(List.of()));

    assertThat(loadFailure(name)).hasMessageContaining("invalid model name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a..1",
        "with blank",
        "resnet-50",
        "_m",
        "m.onnx",
        "größe",
        "模型",
        "a:b@c+d~e",
        "100%",
        "#1"
      })
  void aModelHasAnyOtherName(String name) {
    write(name);

    load(name);
    execute(name, "r");
    loadWith(name, JSON, FILES);

    assertThat(index()).containsExactly(name + " 1 READY");
  }

  private void write(String name) {
    repository.model(name, 1);
  }

  private static String ensembleOf(String model) {
    return """
    {"platform": "ensemble", "max_batch_size": 0,
     "input": [{"name": "IN0", "data_type": "TYPE_FP32", "dims": [4]}],
     "output": [{"name": "OUT0", "data_type": "TYPE_FP32", "dims": [4]}],
     "ensemble_scheduling": {"step": [{"model_name": "%s", "model_version": -1,
       "input_map": {"IN0": "IN0"}, "output_map": {"OUT0": "OUT0"}}]}}
    """
        .formatted(escaped(model));
  }

  /** As a string of JSON has it. */
  private static String escaped(String name) {
    var escaped = new StringBuilder();
    name.chars().forEach(c -> escaped.append("\\u%04x".formatted(c)));
    return escaped.toString();
  }
}
