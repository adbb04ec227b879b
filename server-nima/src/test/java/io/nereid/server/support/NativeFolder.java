package io.nereid.server.support;

import java.nio.file.Path;

/**
 * Where tests compile C code: a folder for each of the JVMs that Surefire runs at the same time.
 */
public final class NativeFolder {
  public static final Path PATH =
      Path.of("target", "native", System.getProperty("nereid.test.fork", "fork1"));

  private NativeFolder() {}
}
