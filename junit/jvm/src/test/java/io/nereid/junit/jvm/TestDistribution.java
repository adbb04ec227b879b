package io.nereid.junit.jvm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A distribution whose class path is that of this test, and whose JDK is that of this JVM. */
record TestDistribution(Path folder) {
  static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  /** Writes its program. */
  static TestDistribution in(Path folder) throws IOException {
    var distribution = new TestDistribution(folder.toAbsolutePath());
    Path program = distribution.folder.resolve("bin/nereid");
    Files.createDirectories(program.getParent());
    Files.writeString(
        program,
        """
        #!/bin/sh
        echo $$ >'%s'
        exec '%s' --enable-native-access=ALL-UNNAMED -cp '%s' io.nereid.server.Main "$@"
        """
            .formatted(
                distribution.id(),
                Path.of(System.getProperty("java.home"), "bin/java"),
                CLASS_PATH));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.deleteIfExists(distribution.id());
    return distribution;
  }

  private Path id() {
    return folder.resolve("process");
  }

  /** The id of the process that was started last. */
  long process() {
    try {
      return Long.parseLong(Files.readString(id()).strip());
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }
}
