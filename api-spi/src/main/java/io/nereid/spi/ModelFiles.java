package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The location of one version of a model.
 *
 * @param modelDirectory contains {@code config.pbtxt} and what versions share
 * @param versionDirectory contains the files of this version: {@code modelDirectory/version}, or
 *     the model's directory itself if it has a single version without a directory of its own
 * @param version the version to load
 * @param trust how far a backend may follow what configuration and files name
 */
public record ModelFiles(Path modelDirectory, Path versionDirectory, long version, Trust trust) {
  /**
   * Who answers for a model. Files, libraries and addresses beyond the model's directory, and code
   * in it, are the operator's to open: a backend reaches them only for {@link #OPERATOR}.
   */
  public enum Trust {
    /** The operator: configuration and files are those of a repository. */
    OPERATOR,

    /** A client: the configuration, or the files too, came with a load request. */
    CLIENT,

    /**
     * A repository that is only checked, as by the command {@code lint}: what would be refused
     * fails, what would be executed is not opened, and {@link Backend#complete} returns what it
     * cannot complete without that as it is.
     */
    CHECK
  }

  /** A version of a model with directories for its versions. */
  public ModelFiles(Path modelDirectory, long version, Trust trust) {
    this(modelDirectory, modelDirectory.resolve(Long.toString(version)), version, trust);
  }

  /** A version of a model in a repository of the operator. */
  public ModelFiles(Path modelDirectory, long version) {
    this(modelDirectory, version, Trust.OPERATOR);
  }

  /**
   * The file of this version that a configuration names. Links are followed, wherever they lead.
   *
   * @param name relative to the version directory
   * @throws InferenceException INVALID_ARGUMENT if the name leads out of the model's directory
   */
  public Path file(String name) {
    if (!isInside(modelDirectory.relativize(versionDirectory), name)) {
      throw InferenceException.invalid(
          "file '%s' of model '%s' is outside model directory"
              .formatted(name, modelDirectory.getFileName()));
    }
    return versionDirectory.resolve(name);
  }

  /** Whether a name is one of a file in the model's directory, seen from that of a version. */
  public static boolean isInside(String name) {
    return isInside(Path.of("version"), name);
  }

  private static boolean isInside(Path version, String name) {
    try {
      Path file = version.resolve(name).normalize();
      return !file.isAbsolute() && !file.startsWith("..");
    } catch (InvalidPathException noPath) {
      return false;
    }
  }
}
