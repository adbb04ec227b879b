package io.nereid.engine.model.config;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The directory of one model, with {@code config.pbtxt} and version directories; or a bare one,
 * whose only version 1 has no directory of its own. Every call reads the disk, so results of two
 * calls may differ.
 *
 * @param name the model's
 * @param isBare whether the files of version 1 are in the directory itself
 */
public record ModelDirectory(Path path, String name, boolean isBare) {
  private static final System.Logger LOG = System.getLogger(ModelDirectory.class.getName());

  private static final int MAX_BYTE_SIZE = 64 << 20;

  /** What is said of a name that no model may have. */
  public static final String INVALID_NAME =
      "invalid model name '%s', expected one without control characters that begins with neither a"
          + " dot nor a dash";

  /** Directories that are no versions, and not ignored. */
  public static final Set<String> OTHER_DIRECTORIES =
      Set.of("warmup", "initial_state", "configs", "lib");

  /**
   * A directory with version directories.
   *
   * @param path a path whose last element is the model's name
   */
  public ModelDirectory(Path path) {
    this(path, path.getFileName().toString(), /* isBare= */ false);
  }

  /**
   * Validates a client's model name before it becomes part of a path.
   *
   * @return {@code name}
   * @throws InferenceException if it is blank or leaves the repository
   */
  public static String checkedName(String name) {
    if (name.isBlank()) {
      throw InferenceException.invalid(
          "Model name cannot be empty. Please enter a valid name to deploy.");
    }
    String bare = name.strip();
    if (bare.equals("..") || bare.equals(".") || name.indexOf('/') >= 0 || name.indexOf(0) >= 0) {
      throw InferenceException.invalid(
          "invalid model name '%s', model name must not contain path traversal characters"
              .formatted(name));
    }
    return name;
  }

  /** What is said of a model's own directory where that of a repository is expected. */
  public static String noRepository(Path model) {
    Path repository = model.toAbsolutePath().normalize().getParent();
    return "'%s' is a model's folder; the repository is '%s'".formatted(model, repository);
  }

  /**
   * Whether a model may have the name of a directory: neither that of a hidden one, nor one that is
   * an option to a command or changes a line of text.
   */
  public static boolean isModelName(String name) {
    return !name.startsWith(".")
        && !name.startsWith("-")
        && name.chars().noneMatch(Character::isISOControl);
  }

  /** A version's files, as a backend reads them. */
  public ModelFiles files(long version, ModelFiles.Trust trust) {
    return isBare
        ? new ModelFiles(path, path, version, trust)
        : new ModelFiles(path, version, trust);
  }

  /**
   * The versions on disk, ascending; of a bare directory the version 1. A directory whose name is
   * not a decimal number, has a leading zero or exceeds a {@code long} is not a version; a warning
   * is logged.
   */
  public List<Long> versions() {
    if (isBare) {
      return List.of(1L);
    }
    var versions = new ArrayList<Long>();
    for (String name : subdirectories()) {
      Optional<Long> version = DirectoryContents.version(name);
      version.ifPresent(versions::add);
      if (version.isEmpty() && !OTHER_DIRECTORIES.contains(name)) {
        LOG.log(
            Level.WARNING,
            "model ''{0}'': ignoring version directory ''{1}'': not a decimal number without"
                + " leading zeros",
            name(),
            name);
      }
    }
    return versions.stream().sorted().toList();
  }

  /** The version directory whose name sorts first as text; a missing backend is detected there. */
  Optional<Path> firstVersionDirectory() {
    if (isBare) {
      return Optional.of(path);
    }
    return subdirectories().stream()
        .filter(name -> DirectoryContents.version(name).isPresent())
        .min(Comparator.naturalOrder())
        .map(path::resolve);
  }

  /** {@code configs/<configName>.pbtxt} if it exists, else {@code config.pbtxt} if that exists. */
  public Optional<Path> configFile(Optional<String> configName) {
    return configName
        .map(this::namedConfig)
        .filter(Files::exists)
        .or(() -> Optional.of(path.resolve("config.pbtxt")).filter(Files::exists));
  }

  private Path namedConfig(String name) {
    try {
      return path.resolve("configs").resolve(name + ".pbtxt");
    } catch (InvalidPathException noName) {
      throw InferenceException.invalid(
          "configuration '%s' of model '%s' cannot be a path: %s"
              .formatted(name, name(), IoReason.of(noName)));
    }
  }

  /**
   * Resolves a file name of the configuration relative to this directory.
   *
   * @return its real path; empty if {@code ..} or a link leads out of this directory
   * @throws IOException if it does not exist
   */
  public Optional<Path> fileInside(String relative) throws IOException {
    Path file;
    try {
      file = path.resolve(relative);
    } catch (InvalidPathException noName) { // no file can have it
      throw IoReason.isByLocale(relative)
          ? new FileSystemException(relative, null, IoReason.of(noName))
          : new NoSuchFileException(relative, null, noName.getReason());
    }
    if (!file.normalize().startsWith(path.normalize())) {
      return Optional.empty(); // before disk access, which would reveal what exists there
    }
    Path real = file.toRealPath();
    return real.startsWith(path.toRealPath()) ? Optional.of(real) : Optional.empty();
  }

  /**
   * Opens a file to be read. One that is not regular is not opened: a pipe has no end, nor has a
   * device.
   */
  public static InputStream open(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new FileSystemException(file.toString(), null, "it is not a regular file");
    }
    return Files.newInputStream(file);
  }

  /** Reads a file that is text for a server: a regular one of 64 MiB at most. */
  public static byte[] read(Path file) throws IOException {
    try (InputStream in = open(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTE_SIZE + 1);
      if (bytes.length > MAX_BYTE_SIZE) {
        throw new FileSystemException(
            file.toString(), null, "it has more than " + MAX_BYTE_SIZE + " bytes");
      }
      return bytes;
    }
  }

  private List<String> subdirectories() {
    return entries().stream()
        .filter(Files::isDirectory)
        .map(entry -> entry.getFileName().toString())
        .toList();
  }

  /**
   * What is in this directory and not hidden, by name.
   *
   * @throws InferenceException INTERNAL if it cannot be listed
   */
  List<Path> entries() {
    try {
      return FileTree.list(path).stream()
          .filter(entry -> !entry.getFileName().toString().startsWith("."))
          .toList();
    } catch (IOException unreadable) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "model '%s': failed to list %s: %s".formatted(name(), path, IoReason.of(unreadable)),
          unreadable);
    }
  }
}
