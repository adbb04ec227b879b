package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelFileTest {
  private static final Gpu HOPPER = new Gpu(0, "H100", "9.0");

  @TempDir Path model;
  private ModelFiles files;

  @BeforeEach
  void writePlans() throws IOException {
    files = new ModelFiles(model, 3);
    Files.createDirectories(files.versionDirectory());
    for (String name : List.of("model.plan", "other.plan", "hopper.plan")) {
      Files.writeString(files.versionDirectory().resolve(name), "content of " + name);
    }
  }

  @Test
  void opensModelPlanOfTheVersionDirectoryByDefault() {
    assertThat(opened(config("", Map.of()))).isEqualTo("content of model.plan");
  }

  @Test
  void opensTheFileThatTheConfigurationNames() {
    assertThat(opened(config("other.plan", Map.of()))).isEqualTo("content of other.plan");
  }

  @Test
  void prefersTheFileForTheComputeCapabilityOfTheDevice() {
    var config = config("other.plan", Map.of("9.0", "hopper.plan", "8.0", "missing.plan"));

    assertThat(opened(config)).isEqualTo("content of hopper.plan");
  }

  @Test
  void anOnnxFileIsChosenIfItsPlanIsToBeBuilt() throws IOException {
    for (String name : List.of("model.onnx", "stated.onnx", "named.onnx")) {
      Files.writeString(files.versionDirectory().resolve(name), "ONNX");
    }

    assertThat(onnxFile("true", "")).isEqualTo("model.onnx");
    assertThat(onnxFile("true", "model.plan")).isEqualTo("model.onnx");
    assertThat(onnxFile("true", "named.onnx")).isEqualTo("named.onnx");
    assertThat(onnxFile("stated.onnx", "named.onnx")).isEqualTo("stated.onnx");
  }

  private String onnxFile(String parameter, String name) {
    ModelFile file = ModelFile.of(files, built(parameter, name, Map.of()), HOPPER);
    assertThat(file.build()).isPresent();
    return file.path().getFileName().toString();
  }

  @Test
  void aPlanForTheComputeCapabilityIsPreferredToABuild() {
    var config = built("true", "", Map.of("9.0", "hopper.plan"));

    assertThat(opened(config)).isEqualTo("content of hopper.plan");
    assertThat(ModelFile.of(files, config, HOPPER).build()).isEmpty();
  }

  private static ModelConfig built(
      String parameter, String name, Map<String, String> byComputeCapability) {
    return Configs.of(
        0, List.of(), Map.of("tensorrt_build_from_onnx", parameter), name, byComputeCapability);
  }

  @Test
  void aMissingFileIsUnavailableAndNamed() {
    assertThatThrownBy(() -> opened(config("none.plan", Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessage(
            "unable to find '%s' for model 'm'", files.versionDirectory().resolve("none.plan"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../other/1/model.onnx", "/etc/hostname", "a/../../../b", "a\0b"})
  void aFileOutsideTheModelsDirectoryIsRejectedWhoeverNamesIt(String name) {
    for (ModelConfig config :
        List.of(
            config(name, Map.of()),
            config("", Map.of("9.0", name)),
            built("true", name, Map.of()),
            built(name, "", Map.of()))) {
      assertThatThrownBy(() -> ModelFile.of(files, config, HOPPER))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
          .hasMessageStartingWith("file '%s' of model '", name)
          .hasMessageEndingWith("' is outside model directory");
    }
  }

  @Test
  void theBytesCannotBeReadAfterClose() {
    MemorySegment bytes;
    try (Plan plan = ModelFile.of(files, config("", Map.of()), HOPPER).readPlan()) {
      bytes = plan.bytes();
      assertThat(bytes.isReadOnly()).isTrue();
      assertThat(plan.file()).isEqualTo(files.versionDirectory().resolve("model.plan"));
    }
    assertThat(bytes.scope().isAlive()).isFalse();
  }

  private String opened(ModelConfig config) {
    try (Plan plan = ModelFile.of(files, config, HOPPER).readPlan()) {
      return new String(plan.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  private static ModelConfig config(String file, Map<String, String> byComputeCapability) {
    return Configs.of(0, List.of(), Map.of(), file, byComputeCapability);
  }
}
