package io.nereid.benchmarks;

import io.nereid.engine.file.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A model repository with copies of {@code examples/models}. {@link #close} deletes it.
 *
 * @param repository its folder
 */
public record ExampleModels(Path repository) implements AutoCloseable {
  /** A repository in a new temporary folder, whose name begins with {@code name}. */
  public static ExampleModels create(String name) {
    try {
      return new ExampleModels(Files.createTempDirectory(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds an example as it is. */
  public ExampleModels add(String example) {
    return add(example, example, "");
  }

  /**
   * Adds a copy of an example.
   *
   * @param name of the copy
   * @param more what its configuration has besides
   */
  public ExampleModels add(String example, String name, String more) {
    try {
      Path model = repository.resolve(name);
      Files.write(Files.createDirectories(model.resolve("1")).resolve("model.onnx"), onnx(example));
      String config = new String(file(example + "/config.pbtxt"), StandardCharsets.UTF_8);
      Files.writeString(
          model.resolve("config.pbtxt"),
          config.replace("name: \"" + example + "\"", "name: \"" + name + "\"") + more);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The ONNX file of an example. */
  public static byte[] onnx(String example) throws IOException {
    return file(example + "/1/model.onnx");
  }

  /** A file of {@code examples/models} or of the resources of this module. */
  public static byte[] file(String name) throws IOException {
    try (var content = ExampleModels.class.getResourceAsStream("/" + name)) {
      if (content == null) {
        throw new IOException("not on the class path: " + name);
      }
      return content.readAllBytes();
    }
  }

  @Override
  public void close() throws IOException {
    FileTree.delete(repository);
  }
}
