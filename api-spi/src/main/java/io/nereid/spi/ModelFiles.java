package io.nereid.spi;

import java.nio.file.Path;

/**
 * Where one version of a model lies.
 *
 * @param modelDirectory holds {@code config.pbtxt} and the version directories
 * @param version the version to load; its files are in {@code modelDirectory/version}
 */
public record ModelFiles(Path modelDirectory, long version) {
  public Path versionDirectory() {
    return modelDirectory.resolve(Long.toString(version));
  }
}
