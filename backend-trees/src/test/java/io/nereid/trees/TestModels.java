package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The cases of {@code src/test/scripts/oracle.py}, and configurations for them. */
final class TestModels {
  private TestModels() {}

  /** The folder with the committed cases. */
  static Path folder() {
    try {
      var url = TestModels.class.getResource("/models");
      if (url == null) {
        throw new IllegalStateException("no folder of models");
      }
      return Path.of(url.toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The committed case whose name begins so. */
  static Path named(String prefix) {
    return cases(folder()).stream()
        .filter(each -> each.getFileName().toString().startsWith(prefix + "_"))
        .findFirst()
        .orElseThrow();
  }

  static List<Path> cases(Path folder) {
    try (Stream<Path> found = Files.list(folder)) {
      return found.filter(Files::isDirectory).sorted().toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The file of a case. */
  static Path model(Path folder) {
    try (Stream<Path> found = Files.list(folder)) {
      return found
          .filter(file -> file.getFileName().toString().startsWith("model."))
          .findFirst()
          .orElseThrow();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A model directory that is made of a file, as version 1. */
  static ModelFiles files(Path directory, Path file) {
    try {
      Path version = Files.createDirectories(directory.resolve("1"));
      Files.copy(file, version.resolve(file.getFileName().toString()));
      return new ModelFiles(directory, 1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A model directory with a file of that text, as version 1. */
  static ModelFiles files(Path directory, String name, String text) {
    try {
      Path version = Files.createDirectories(directory.resolve("1"));
      Files.writeString(version.resolve(name), text);
      return new ModelFiles(directory, 1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static ModelConfig bare(String name) {
    return ModelConfig.of(name, "trees");
  }

  static TensorConfig tensor(String name, DataType type, long... dims) {
    return TensorConfig.of(name, type, Shape.of(dims));
  }

  static BackendUnderTest underTest(ModelFiles files, ModelConfig config) {
    return BackendUnderTest.of(new TreesBackendProvider(), files, config);
  }

  static ModelConfig withParameters(ModelConfig config, Map<String, String> parameters) {
    return config.toBuilder().parameters(parameters).build();
  }

  static ModelConfig withFile(ModelConfig config, String name) {
    return config.toBuilder().defaultModelFilename(name).build();
  }
}
