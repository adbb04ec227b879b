package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.echo.EchoBackend;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of a model for a backend's tests. */
class ModelConfigFileParserTest {
  @TempDir Path repository;

  private Path model(String name, String config) throws IOException {
    Path directory = Files.createDirectories(repository.resolve(name));
    Files.writeString(directory.resolve("config.pbtxt"), config);
    return directory;
  }

  private static ModelConfig parse(Path directory) {
    return parser().parse(directory);
  }

  private static ModelConfigParser parser() {
    return ServiceLoader.load(ModelConfigParser.class).findFirst().orElseThrow();
  }

  @Test
  void readsATextThatIsInNoFile() throws IOException {
    Path directory = Files.createDirectories(repository.resolve("echo"));

    assertThat(parser().parse(directory, "backend: \"b\" max_batch_size: 8", "").maxBatchSize())
        .isEqualTo(8);
  }

  @Test
  void namesTheSourceOfATextAndAllItsProblems() throws IOException {
    Path directory = Files.createDirectories(repository.resolve("echo"));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            parser().parse(directory, "backend: \"b\"\nmax_batch_size: \"x\"\nno: 1", "a text"))
        .withMessageMatching("a text, 2:17: expected an integer .*; 3:1: unknown field 'no'.*")
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            parser().parse(directory, "backend: \"b\"\nmax_batch_size: -1\nname: \"m\"", "a text"))
        .withMessageMatching("a text, 2:\\d+: .*; 3:\\d+: unexpected directory name 'echo' .*");
  }

  @Test
  void addsTheServersDefaults() throws IOException {
    Path directory =
        model(
            "echo",
            """
            backend: "tck_echo"
            max_batch_size: 8
            input { name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
            dynamic_batching { max_queue_delay_microseconds: 100 }
            parameters { key: "threads" value { string_value: "2" } }
            """);

    var config = parse(directory);

    assertThat(config.name()).isEqualTo("echo");
    assertThat(config.input("INPUT0"))
        .contains(TensorConfig.of("INPUT0", DataType.FP32, Shape.of(-1)));
    assertThat(config.scheduling()).isEqualTo(BatchingSettings.of(List.of(8), 100));
    assertThat(config.parameters()).containsEntry("threads", "2");
    var tested = BackendUnderTest.of(new EchoBackend(), new ModelFiles(directory, 1));
    assertThat(tested.config()).isEqualTo(config);
  }

  @Test
  void namesThePlaceOfAMistake() throws IOException {
    Path directory = model("echo", "backend: \"tck_echo\"\nmax_batch_size: \"eight\"\n");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> parse(directory))
        .withMessageContaining("config.pbtxt:2:17")
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }
}
