package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/** The files that a command of the Makefile hands to the tests as system properties. */
final class Settings {
  private Settings() {}

  /** The file or folder that the system property {@code name} names; fails if there is none. */
  static Path path(String name) {
    String value = System.getProperty(name, "");
    assertThat(value).as("-D%s=PATH must name a file or a folder", name).isNotEmpty();
    Path path = Path.of(value).toAbsolutePath();
    assertThat(Files.exists(path)).as("-D%s=%s: there is no such file", name, value).isTrue();
    return path;
  }
}
