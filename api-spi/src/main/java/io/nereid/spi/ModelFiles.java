package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The location of one version of a model.
 *
 * @param modelDirectory contains {@code config.pbtxt} and the version directories
 * @param version the version to load
 */
public record ModelFiles(Path modelDirectory, long version) {
  /** The directory with the files of this version: {@code modelDirectory/version}. */
  public Path versionDirectory() {
    return modelDirectory.resolve(Long.toString(version));
  }

  /**
   * The file of this version that a configuration names. Links are followed, wherever they lead.
   *
   * @param name relative to the version directory
   * @throws InferenceException INVALID_ARGUMENT if the name leads out of the model's directory
   */
  public Path file(String name) {
    if (!isInside(name)) {
      throw InferenceException.invalid(
          "file '%s' of model '%s' is outside model directory"
              .formatted(name, modelDirectory.getFileName()));
    }
    return versionDirectory().resolve(name);
  }

  /** Whether a name is one of a file in the model's directory, seen from that of a version. */
  public static boolean isInside(String name) {
    try {
      Path file = Path.of("version").resolve(name).normalize();
      return !file.isAbsolute() && !file.startsWith("..");
    } catch (InvalidPathException noPath) {
      return false;
    }
  }
}
