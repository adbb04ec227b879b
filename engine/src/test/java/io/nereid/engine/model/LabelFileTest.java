package io.nereid.engine.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LabelFileTest {
  @TempDir private Path repository;

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of("", List.of()),
        Arguments.of("\n", List.of("")),
        Arguments.of("cat\n\ndog\n", List.of("cat", "", "dog")),
        Arguments.of("cat\n\ndog", List.of("cat", "", "dog")),
        Arguments.of("a\r\nb\rc\n\n", List.of("a\r", "b\rc", "")),
        Arguments.of("\u00e8\n\u00ff", List.of("\u00e8", "\u00ff")));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void theLabelsAreTheBytesOfTheLines(String text, List<String> expected) throws Exception {
    var model = ModelOnDisk.named(repository, "m");
    Files.write(model.directory().path().resolve("labels.txt"), text.getBytes(ISO_8859_1));

    LabelFile labels = requireNonNull(read(model, "labels.txt").get("OUT"));

    assertThat(labels.lines().stream().map(line -> new String(line, ISO_8859_1)))
        .isEqualTo(expected);
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
