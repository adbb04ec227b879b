package io.nereid.engine.model.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory of a model, created for a test. */
public record ModelOnDisk(Path path) {
  public static ModelOnDisk named(Path repository, String name) {
    return new ModelOnDisk(repository.resolve(name)).withDirectory("");
  }

  /** A model of version 1 without files of its own. */
  public static ModelOnDisk of(Path repository, String name, String config) {
    return named(repository, name).withConfig(config).withDirectory("1");
  }

  public ModelOnDisk withConfig(String text) {
    return withFile("config.pbtxt", text);
  }

  public ModelOnDisk withDirectory(String relative) {
    try {
      Files.createDirectories(path.resolve(relative));
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public ModelOnDisk withFile(String relative, String content) {
    return withFile(relative, content.getBytes(StandardCharsets.UTF_8));
  }

  public ModelOnDisk withFile(String relative, byte[] content) {
    Path file = path.resolve(relative);
    try {
      Files.createDirectories(file.resolveSibling(""));
      Files.write(file, content);
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public ModelDirectory directory() {
    return new ModelDirectory(path);
  }
}
