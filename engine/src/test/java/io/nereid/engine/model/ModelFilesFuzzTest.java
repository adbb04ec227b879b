package io.nereid.engine.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelOutput;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Any name of a file in a configuration, and any file of labels. */
class ModelFilesFuzzTest {
  private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
  private final ModelDirectory model = new ModelDirectory(disk.getPath("/repository/m"));

  ModelFilesFuzzTest() throws IOException {
    Files.createDirectories(model.path().resolve("1"));
    Files.createDirectory(disk.getPath("/repository/mm"));
    Files.writeString(model.path().resolve("1/f"), "in the model");
    Files.writeString(disk.getPath("/repository/s"), "secret");
    Files.createSymbolicLink(model.path().resolve("l"), disk.getPath("/repository"));
  }

  @FuzzTest
  void lieInTheDirectoryOfTheirModel(byte[] input) {
    String name = new String(input, UTF_8);
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            Optional<Path> found = model.fileInside(name);
            found.ifPresent(file -> assertThat(file).startsWithRaw(model.path()));
          } catch (IOException missing) {
            assertThat(missing.getMessage()).isNotNull();
          }
        });
  }

  @FuzzTest
  void namesOfModelsStayInTheirRepository(byte[] input) {
    String name = new String(input, UTF_8);
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            Path repository = disk.getPath("/repository");
            Path directory = repository.resolve(ModelDirectory.checkedName(name)).normalize();
            assertThat(directory.getParent()).isEqualTo(repository);
          } catch (InferenceException rejected) {
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          }
        });
  }

  @FuzzTest
  void areReadAsLabelsOrRejected(byte[] input) {
    var output = ModelOutput.newBuilder().setName("o").setLabelFilename("labels");
    ModelConfig config = ModelConfig.newBuilder().addOutput(output).build();
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            Files.write(model.path().resolve("labels"), input);
            Map<String, LabelFile> labels = LabelFile.readAll(model, config);
            assertThat(labels).containsOnlyKeys("o");
          } catch (InferenceException notText) {
            assertThat(notText.getMessage()).startsWith("label file 'labels' for output 'o'");
          } catch (IOException broken) {
            throw new AssertionError(broken);
          }
        });
  }
}
