package io.nereid.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;

/**
 * A model repository that a test changes while a server runs. A file that is written for a model
 * that exists is newer than all that was written before, however coarse the time of files is.
 */
public final class RepositoryFolder {
  /** The tensors of a model that echoes {@code INPUT0} as {@code OUTPUT0}. */
  public static final String ECHO =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      """;

  /** A configuration that reads well; the backend does not load a model with it. */
  public static final String BROKEN =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OTHER" data_type: TYPE_INT32 dims: [ -1 ] }
      """;

  private static final String CONFIG = "config.pbtxt";
  private static final long SECONDS_BETWEEN_CHANGES = 60;

  private final Path folder;
  private long changes;

  private RepositoryFolder(Path folder) {
    this.folder = folder;
  }

  /** A repository in that folder, which is created unless it exists. */
  public static RepositoryFolder at(Path folder) throws IOException {
    return new RepositoryFolder(Files.createDirectories(folder));
  }

  Path path() {
    return folder;
  }

  /** The reason for which a model with the configuration {@link #BROKEN} does not load. */
  public static String reasonOfBroken(String model) {
    return "Invalid argument: model '%s': output 'OTHER' has no input to echo".formatted(model);
  }

  /** Adds a model with a configuration in text format, and empty folders of its versions. */
  public void add(String model, String config, long... versions) {
    try {
      Path added = Files.createDirectories(folder.resolve(model));
      for (long version : versions) {
        Files.createDirectories(added.resolve(Long.toString(version)));
      }
      Files.writeString(added.resolve(CONFIG), config);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Adds version 1 of a model that echoes. */
  public void addEcho(String model) {
    add(model, ECHO, 1);
  }

  /** Replaces a model's configuration. */
  public void configure(String model, String config) {
    write(model, CONFIG, config);
  }

  /** Writes a file of a model, such as {@code 1/model.txt}. */
  public void write(String model, String file, String text) {
    try {
      Path written = folder.resolve(model).resolve(file);
      Files.createDirectories(written.getParent());
      Files.writeString(written, text);
      changes++;
      Files.setLastModifiedTime(
          written, FileTime.from(Instant.now().plusSeconds(changes * SECONDS_BETWEEN_CHANGES)));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Removes a model's folder with all that is in it. */
  public void remove(String model) {
    try (Stream<Path> found = Files.walk(folder.resolve(model))) {
      for (Path each : found.toList().reversed()) {
        Files.delete(each);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
