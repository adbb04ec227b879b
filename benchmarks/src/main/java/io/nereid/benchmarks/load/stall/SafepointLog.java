package io.nereid.benchmarks.load.stall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The log that a JVM writes with {@code -Xlog:safepoint:file=<file>:timemillis}. */
public final class SafepointLog {
  private static final Pattern SAFEPOINT =
      Pattern.compile("(?m)^\\[(\\d+)ms] Safepoint \"([^\"]+)\".* Total: +(\\d+) ns");

  private SafepointLog() {}

  /** The pauses in {@code log}, whose line is written at the end of each. */
  public static List<Pause> read(Path log) throws IOException {
    long wallToNanoTime =
        System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    return SAFEPOINT
        .matcher(Files.readString(log))
        .results()
        .map(line -> pause(line, wallToNanoTime))
        .toList();
  }

  private static Pause pause(MatchResult line, long wallToNanoTime) {
    long end = wallToNanoTime + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(line.group(1)));
    return new Pause("server's " + line.group(2), end - Long.parseLong(line.group(3)), end);
  }
}
