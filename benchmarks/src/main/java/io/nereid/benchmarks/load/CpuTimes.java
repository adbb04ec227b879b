package io.nereid.benchmarks.load;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * CPU seconds used up to a moment, read from Linux's {@code /proc}.
 *
 * @param server by the server's process, 0 if none is known
 * @param generator by this process
 * @param machine by everybody, 0 where there is no {@code /proc}
 * @param stolen taken by other virtual machines
 */
record CpuTimes(double server, double generator, double machine, double stolen) {
  /**
   * The unit of {@code /proc}'s times: USER_HZ, which is 100 on every architecture that runs a JDK
   * 25.
   */
  private static final double TICKS_PER_SECOND = 100;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Where utime and stime stand after the command's closing bracket, and steal after "cpu". */
  private static final int USER_TIME = 11;

  private static final int SYSTEM_TIME = 12;
  private static final int STEAL = 7;

  /** Reads now. {@code pid} 0: no server process is known. */
  static CpuTimes read(long pid) throws IOException {
    return new CpuTimes(
        pid == 0 ? 0 : serverSeconds(pid), generatorSeconds(), machineSeconds(), stolenSeconds());
  }

  CpuTimes minus(CpuTimes before) {
    return new CpuTimes(
        server - before.server,
        generator - before.generator,
        machine - before.machine,
        stolen - before.stolen);
  }

  /** By processes that are neither server nor generator. */
  double others() {
    return Math.max(0, machine - server - generator);
  }

  /** Resident memory of a process in MiB: now, or at its peak with the key {@code VmHWM}. */
  static long memoryMebibytes(long pid, String key) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith(key + ":")) {
        return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
      }
    }
    throw new IOException("process %d has no %s".formatted(pid, key));
  }

  private static double serverSeconds(long pid) throws IOException {
    var text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    // The command stands in brackets and may contain both spaces and brackets.
    var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
        / TICKS_PER_SECOND;
  }

  private static double generatorSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / NANOS_PER_SECOND;
  }

  private static double machineSeconds() throws IOException {
    var ticks = machineTicks();
    if (ticks.length == 0) {
      return 0;
    }
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / TICKS_PER_SECOND;
  }

  private static double stolenSeconds() throws IOException {
    var ticks = machineTicks();
    return ticks.length > STEAL ? ticks[STEAL] / TICKS_PER_SECOND : 0;
  }

  /** user, nice, system, idle, iowait, irq, softirq, steal, ... */
  private static double[] machineTicks() throws IOException {
    var stat = Path.of("/proc/stat");
    if (!Files.exists(stat)) {
      return new double[0];
    }
    try (var lines = Files.lines(stat)) {
      var cpu = lines.findFirst().orElseThrow().substring("cpu".length()).strip();
      return Arrays.stream(cpu.split(" +", -1)).mapToDouble(Double::parseDouble).toArray();
    }
  }
}
