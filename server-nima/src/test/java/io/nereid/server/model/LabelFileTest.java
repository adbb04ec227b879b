package io.nereid.server.model;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.model.config.ModelOnDisk;
import io.nereid.server.protobuf.ModelConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabelFileTest {
  @TempDir private Path repository;

  @Test
  void theLabelOfAClassIsItsLineUnlessItIsEmptyOrMissing() {
    var model = ModelOnDisk.named(repository, "m").withFile("labels.txt", "cat\n\ndog\n");

    LabelFile labels = requireNonNull(read(model, "labels.txt").get("OUT"));

    assertThat(labels.label(0)).contains("cat");
    assertThat(labels.label(1)).isEmpty();
    assertThat(labels.label(2)).contains("dog");
    assertThat(labels.label(3)).isEmpty();
    assertThat(labels.label(-1)).isEmpty();
    assertThat(labels.label(1L << 32)).isEmpty();
  }

  @Test
  void anOutputWithoutAFileHasNoLabels() {
    assertThat(read(ModelOnDisk.named(repository, "m"), "")).isEmpty();
  }

  @Test
  void rejectsAFileOutsideTheModelDirectory() throws Exception {
    Files.writeString(repository.resolve("labels.txt"), "cat");
    var model = ModelOnDisk.named(repository, "m");

    assertThatThrownBy(() -> read(model, "../labels.txt"))
        .hasMessage(
            "label file path '../labels.txt' for output 'OUT' in model 'm' is outside model"
                + " directory")
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(StatusCode.UNSUPPORTED);
  }

  @Test
  void theErrorNamesALabelFileThatDoesNotExist() {
    var model = ModelOnDisk.named(repository, "m");

    assertThatThrownBy(() -> read(model, "labels.txt"))
        .hasMessage("label file 'labels.txt' for output 'OUT' in model 'm' does not exist");
  }

  private static Map<String, LabelFile> read(ModelOnDisk model, String file) {
    var config = ModelConfig.newBuilder().setName("m");
    config.addOutputBuilder().setName("OUT").setLabelFilename(file);
    return LabelFile.readAll(model.directory(), config.build());
  }
}
