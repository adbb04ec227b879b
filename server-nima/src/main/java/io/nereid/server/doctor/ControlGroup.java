package io.nereid.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/**
 * The limit on processors of the control group that this process is in (Linux, cgroup-v2.rst and
 * sched-bwc.rst).
 */
final class ControlGroup {
  private ControlGroup() {}

  /**
   * The processors that may be used at a time, such as 1.5; empty if there is no limit.
   *
   * @param root the root of the file system
   */
  static OptionalDouble processors(Path root) {
    Path groups = root.resolve("sys/fs/cgroup");
    String v2 = read(groups.resolve("cpu.max")); // quota, or "max", and period
    if (!v2.isEmpty()) {
      String[] parts = v2.split(" ", 2);
      return parts.length == 2 ? quotient(parts[0], parts[1]) : OptionalDouble.empty();
    }
    return quotient(
        read(groups.resolve("cpu/cpu.cfs_quota_us")),
        read(groups.resolve("cpu/cpu.cfs_period_us")));
  }

  private static OptionalDouble quotient(String quota, String period) {
    boolean numbers = quota.matches("\\d{1,18}") && period.matches("\\d{1,18}");
    return numbers && Long.parseLong(period) > 0
        ? OptionalDouble.of((double) Long.parseLong(quota) / Long.parseLong(period))
        : OptionalDouble.empty();
  }

  /** The content of a file; empty if it cannot be read, as on another system. */
  static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException _) {
      return "";
    }
  }
}
