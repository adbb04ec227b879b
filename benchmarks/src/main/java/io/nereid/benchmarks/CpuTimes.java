package io.nereid.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * CPU times in seconds, from Linux's {@code /proc}.
 *
 * @param server of the server's process; 0 if it is unknown
 * @param generator of this process
 * @param machine of all processes; 0 without {@code /proc}
 * @param stolen used by other virtual machines
 */
public record CpuTimes(double server, double generator, double machine, double stolen) {
  /** USER_HZ, the unit of times in {@code /proc}: 100 on all architectures of JDK 25. */
  private static final double TICKS_PER_SECOND = 100;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Positions of utime and stime after the command in brackets, and of steal after "cpu". */
  private static final int USER_TIME = 11;

  private static final int SYSTEM_TIME = 12;
  private static final int STEAL = 7;

  /** Reads the current times. {@code pid} is that of the server; 0 if it is unknown. */
  public static CpuTimes read(long pid) throws IOException {
    double[] ticks = machineTicks();
    return new CpuTimes(
        pid == 0 ? 0 : serverSeconds(pid),
        generatorSeconds(),
        (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / TICKS_PER_SECOND,
        ticks[STEAL] / TICKS_PER_SECOND);
  }

  public CpuTimes minus(CpuTimes before) {
    return new CpuTimes(
        server - before.server,
        generator - before.generator,
        machine - before.machine,
        stolen - before.stolen);
  }

  /** CPU time of processes other than server and generator. */
  public double others() {
    return Math.max(0, machine - server - generator);
  }

  /** Resident memory of a process in MiB: {@code VmRSS} for now, {@code VmHWM} for its peak. */
  public static long memoryMebibytes(long pid, String key) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith(key + ":")) {
        return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
      }
    }
    throw new IOException("process %d has no %s".formatted(pid, key));
  }

  private static double serverSeconds(long pid) throws IOException {
    var text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    // The command is in brackets and may itself contain spaces and brackets.
    var fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
        / TICKS_PER_SECOND;
  }

  private static double generatorSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / NANOS_PER_SECOND;
  }

  /** user, nice, system, idle, iowait, irq, softirq, steal, ...; zeros without {@code /proc}. */
  private static double[] machineTicks() throws IOException {
    var stat = Path.of("/proc/stat");
    if (!Files.exists(stat)) {
      return new double[STEAL + 1];
    }
    try (var lines = Files.lines(stat)) {
      var cpu = lines.findFirst().orElseThrow().substring("cpu".length()).strip();
      return Arrays.stream(cpu.split(" +", -1)).mapToDouble(Double::parseDouble).toArray();
    }
  }
}
