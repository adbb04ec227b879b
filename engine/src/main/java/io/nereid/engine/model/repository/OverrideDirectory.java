package io.nereid.engine.model.repository;

import io.nereid.engine.file.FileTree;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The directory of a model that is loaded from the files of a load request instead of those of its
 * repository. It is temporary: closing deletes it, with all that a backend has added to it.
 *
 * @param parent a directory of our own, so that the model's can have the model's name
 */
public record OverrideDirectory(Path parent, Path path) implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(OverrideDirectory.class.getName());

  /**
   * Writes the files to a new directory, which only the server's user can read.
   *
   * @param temporary the directory to create it in
   * @param model a name that is valid in a load request
   * @param files by path, such as {@code 1/model.onnx}; borrowed, their positions do not change
   * @throws InferenceException if a path is not allowed, or the files cannot be written; then there
   *     is no directory
   */
  public static OverrideDirectory create(
      Path temporary, String model, Map<String, ByteBuffer> files) {
    OverrideFiles.check(files.keySet());
    checkName(temporary, model);
    try {
      Path parent = Files.createTempDirectory(temporary, "nereid-model-");
      var directory = new OverrideDirectory(parent, parent.resolve(model));
      try {
        directory.write(new TreeMap<>(files));
        return directory;
      } catch (IOException | RuntimeException failed) {
        directory.close();
        throw failed;
      }
    } catch (IOException failed) {
      throw unwritable(model, temporary, failed);
    }
  }

  static InferenceException unwritable(String model, Path directory, IOException failed) {
    return new InferenceException(
        StatusCode.INTERNAL,
        "model '%s': cannot write the files of the load request to '%s': %s"
            .formatted(model, directory, IoReason.of(failed)),
        failed);
  }

  private static void checkName(Path temporary, String model) {
    try {
      var _ = temporary.resolve(model);
    } catch (InvalidPathException notEncodable) {
      throw InferenceException.invalid(
          "model '%s': its name cannot be a path: %s".formatted(model, IoReason.of(notEncodable)));
    }
  }

  private void write(Map<String, ByteBuffer> files) throws IOException {
    Files.createDirectory(path);
    for (var file : files.entrySet()) {
      write(resolve(file.getKey()), file.getValue().duplicate());
    }
  }

  private Path resolve(String file) {
    try {
      return path.resolve(file);
    } catch (InvalidPathException notEncodable) {
      throw OverrideFiles.invalid(file, "is not a path: " + IoReason.of(notEncodable));
    }
  }

  private static void write(Path file, ByteBuffer bytes) throws IOException {
    Files.createDirectories(file.getParent());
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Deletes the directory. What cannot be deleted is logged. */
  @Override
  public void close() {
    try {
      FileTree.delete(parent);
    } catch (IOException failed) {
      LOG.log(Level.WARNING, "cannot delete ''{0}'': {1}", parent, IoReason.of(failed));
    }
  }
}
