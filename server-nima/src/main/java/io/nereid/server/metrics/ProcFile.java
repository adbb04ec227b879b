package io.nereid.server.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of Linux with the sizes of memory, such as {@code /proc/meminfo}. */
final class ProcFile {
  private static final Pattern SIZE = Pattern.compile("(\\w+):\\s+(\\d+) kB");
  private static final int BYTES_PER_KIB = 1024;

  private ProcFile() {}

  /** The lines {@code <name>: <number> kB}, in bytes. */
  static Map<String, Long> sizes(Path file) throws IOException {
    Map<String, Long> sizes = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      Matcher size = SIZE.matcher(line);
      if (size.matches()) {
        sizes.put(size.group(1), Long.parseLong(size.group(2)) * BYTES_PER_KIB);
      }
    }
    return sizes;
  }
}
