package io.nereid.server.model.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory of a model, created for a test. */
public record ModelOnDisk(Path path) {
  public static ModelOnDisk named(Path repository, String name) {
    return new ModelOnDisk(repository.resolve(name)).withDirectory("");
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
    Path file = path.resolve(relative);
    try {
      Files.createDirectories(file.resolveSibling(""));
      Files.writeString(file, content);
      return this;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public ModelDirectory directory() {
    return new ModelDirectory(path);
  }
}
