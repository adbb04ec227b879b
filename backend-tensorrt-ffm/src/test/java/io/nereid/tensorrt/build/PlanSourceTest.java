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

class PlanSourceTest {
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
  void aMissingFileIsUnavailableAndNamed() {
    assertThatThrownBy(() -> opened(config("none.plan", Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessage(
            "unable to find '%s' for model 'm'", files.versionDirectory().resolve("none.plan"));
  }

  @Test
  void theBytesCannotBeReadAfterClose() {
    MemorySegment bytes;
    try (Plan plan = new PlanSource().open(files, config("", Map.of()), HOPPER)) {
      bytes = plan.bytes();
      assertThat(bytes.isReadOnly()).isTrue();
      assertThat(plan.file()).isEqualTo(files.versionDirectory().resolve("model.plan"));
    }
    assertThat(bytes.scope().isAlive()).isFalse();
  }

  private String opened(ModelConfig config) {
    try (Plan plan = new PlanSource().open(files, config, HOPPER)) {
      return new String(plan.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }

  private static ModelConfig config(String file, Map<String, String> byComputeCapability) {
    return Configs.of(0, List.of(), Map.of(), file, byComputeCapability);
  }
}
