package io.nereid.server.process;

import java.util.Optional;
import java.util.Properties;

/**
 * The AOT cache, with which the JVM starts sooner (JEP 483, JEP 515). The launcher passes it to the
 * JVM, or says why it does not; the JVM runs without it if options differ.
 */
public final class AotCache {
  /** Why the launcher passes no cache; empty if it does. Not set without the launcher. */
  private static final String OBSTACLE = "nereid.aot.obstacle";

  private AotCache() {}

  /** Says why a JVM that was started by the launcher runs without the cache; empty if it has it. */
  public static Optional<String> notice(Properties jvm) {
    String obstacle = jvm.getProperty(OBSTACLE);
    if (obstacle == null) {
      return Optional.empty();
    }
    boolean isShared = jvm.getProperty("java.vm.info", "").contains("sharing");
    if (obstacle.isEmpty() && isShared) {
      return Optional.empty();
    }
    return Optional.of(
        "starts without an AOT cache, which takes longer: %s; 'bin/nereid aot' makes one"
            .formatted(obstacle.isEmpty() ? "it does not fit the JVM's options" : obstacle));
  }
}
