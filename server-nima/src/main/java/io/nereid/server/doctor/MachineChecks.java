package io.nereid.server.doctor;

import io.nereid.error.IoReason;
import io.nereid.spi.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks of processors, memory and limits.
 *
 * @param poolBytes the most that tensors may take
 */
record MachineChecks(Machine machine, long poolBytes) {
  /** What {@code /proc/cpuinfo} calls the vector instructions of x86-64 and AArch64. */
  private static final Set<String> VECTORS =
      Set.of("avx2", "fma", "avx512f", "avx512_vnni", "asimd", "sve");

  /** What the process takes besides: code, threads, buffers of gRPC. Not what models take. */
  private static final long REST = 150L << 20;

  private static final int FEW_FILES = 4096;
  private static final long LITTLE_SPACE = 256L << 20;

  List<Check> run() {
    return Stream.of(
            processors(), instructions(), memory(), openFiles(), temporaryDirectory(), names())
        .toList();
  }

  private Check processors() {
    OptionalDouble limit = ControlGroup.processors(machine.root());
    String used = "the JVM uses %d".formatted(machine.jvm().processors());
    if (limit.isEmpty()) {
      return Check.ok("processors", used);
    }
    String finding = used + ", limited to %.2f by a control group".formatted(limit.getAsDouble());
    return limit.getAsDouble() >= 1
        ? Check.ok("processors", finding)
        : Check.warning(
            "processors",
            finding + ": every thread is paused for part of the time",
            "give the container a whole processor or more");
  }

  private Check instructions() {
    Set<String> present = new TreeSet<>();
    ControlGroup.read(machine.root().resolve("proc/cpuinfo"))
        .lines()
        .filter(line -> line.startsWith("flags") || line.startsWith("Features"))
        .findFirst()
        .ifPresent(line ->
            Arrays.stream(line.split("[\\s:]+")).filter(VECTORS::contains).forEach(present::add));
    String subject = "vector instructions";
    String known = present.stream().collect(Collectors.joining(", "));
    if (present.containsAll(Set.of("avx2", "fma")) || present.contains("asimd")) {
      return Check.ok(subject, known);
    }
    if (!Files.exists(machine.root().resolve("proc/cpuinfo"))) {
      return Check.ok(subject, "unknown on this system");
    }
    return Check.warning(
        subject,
        "no AVX2 and FMA" + (known.isEmpty() ? "" : ", only " + known) + ": models run slowly",
        "in a virtual machine, pass the host's processor through");
  }

  private Check memory() {
    long direct = maxDirect();
    String finding =
        "%s; the heap takes up to %s, tensors up to %s%s"
            .formatted(
                size(machine.memory()),
                size(machine.jvm().maxHeap()),
                size(poolBytes),
                direct == 0 ? "" : ", direct buffers up to " + size(direct));
    long most = machine.jvm().maxHeap() + direct + poolBytes;
    if (most <= machine.memory() - Math.max(machine.memory() / 16, REST)) {
      return Check.ok("memory", finding);
    }
    String cure = "lower --max-tensor-memory, or -Xmx in JAVA_OPTS, or add memory";
    return machine.jvm().maxHeap() + direct > machine.memory()
        ? Check.problem("memory", finding + ": more than there is", cure)
        : Check.warning("memory", finding + ": under load the system may end the process", cure);
  }

  /** The limit on direct buffers if an option states it; 0 if none does. */
  private long maxDirect() {
    String option = "-XX:MaxDirectMemorySize=";
    return machine.jvm().arguments().stream()
        .filter(argument -> argument.startsWith(option))
        .reduce((_, last) -> last)
        .map(argument -> bytes(argument.substring(option.length())))
        .orElse(0L);
  }

  /** A size as the JVM's options have it, such as {@code 2g}; the JVM has accepted it. */
  private static long bytes(String text) {
    String digits = text.replaceAll("\\D+$", "");
    int shift =
        switch (text.substring(digits.length()).toLowerCase(Locale.ROOT)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          case "t" -> 40;
          default -> 0;
        };
    return digits.matches("\\d{1,12}") ? Long.parseLong(digits) << shift : 0;
  }

  private Check openFiles() {
    if (machine.maxOpenFiles().isEmpty()) {
      return Check.ok("open files", "no limit known");
    }
    long limit = machine.maxOpenFiles().getAsLong();
    return limit >= FEW_FILES
        ? Check.ok("open files", "up to " + limit)
        : Check.warning(
            "open files",
            "up to %d: each connection takes one".formatted(limit),
            "raise the limit: ulimit -n 65536, or LimitNOFILE of systemd");
  }

  private Check temporaryDirectory() {
    String subject = "temporary directory";
    Path directory = machine.temporaryDirectory();
    try {
      Files.delete(Files.createTempFile(directory, "nereid", ".doctor"));
      long space = Files.getFileStore(directory).getUsableSpace();
      String finding = "%s, %s free".formatted(directory, size(space));
      return space >= LITTLE_SPACE
          ? Check.ok(subject, finding)
          : Check.warning(
              subject,
              finding,
              "free some space, or add -Djava.io.tmpdir=<directory> to JAVA_OPTS");
    } catch (IOException unusable) {
      return Check.problem(
          subject,
          "cannot write to '%s': %s".formatted(directory, IoReason.of(unusable)),
          "create it, or add -Djava.io.tmpdir=<directory> to JAVA_OPTS");
    }
  }

  private static Check names() {
    String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
    return IoReason.isByLocale("\u00e9")
        ? Check.warning(
            "names of files",
            "the locale encodes them as %s: those that are not ASCII cannot be opened"
                .formatted(encoding),
            "start with LC_ALL=C.UTF-8, as bin/nereid does")
        : Check.ok("names of files", encoding);
  }

  private static String size(long bytes) {
    return bytes >= 1L << 30
        ? String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30))
        : String.format(Locale.ROOT, "%d MiB", bytes >> 20);
  }
}
