package io.nereid.tck.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The log of the rules that were begun, in {@code tck-rules.log}: if the process ends in the middle
 * of a rule, as by a crash of native code, its last line names that rule. The file lies in the
 * folder of the system property {@code nereid.tck.log}; otherwise in {@code target} or {@code
 * build}, if there is such a folder, or in the working directory.
 */
public final class RuleLog {
  private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "no rule");
  private static @Nullable Path file;

  private RuleLog() {}

  /** The rule that the calling thread verifies. */
  static String current() {
    return CURRENT.get();
  }

  /** The rule begins, by the calling thread. */
  public static void begin(String rule, String test) {
    CURRENT.set(rule);
    write("begin", rule, test);
  }

  /** The rule that the calling thread has begun is verified. */
  public static void end(String rule, String test) {
    CURRENT.remove();
    write("end", rule, test);
  }

  private static synchronized void write(String what, String rule, String test) {
    try {
      if (file == null) {
        file = folder().resolve("tck-rules.log");
        Files.deleteIfExists(file);
      }
      String line =
          "%s %d %s %s %s%n"
              .formatted(Instant.now(), ProcessHandle.current().pid(), what, rule, test);
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException unwritable) {
      throw new AssertionError("the log of rules cannot be written", unwritable);
    }
  }

  private static Path folder() {
    String configured = System.getProperty("nereid.tck.log");
    if (configured != null) {
      return Path.of(configured);
    }
    for (String build : new String[] {"target", "build"}) {
      if (Files.isDirectory(Path.of(build))) {
        return Path.of(build);
      }
    }
    return Path.of("");
  }
}
