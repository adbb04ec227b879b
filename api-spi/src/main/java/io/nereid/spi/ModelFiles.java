package io.nereid.spi;

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
}
