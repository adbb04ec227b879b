package io.nereid.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of JVM and machine, on machines of files and numbers. */
class MachineChecksTest {
  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;

  @TempDir private Path root = Path.of("");
  private final List<String> jvmArguments =
      new ArrayList<>(List.of("--sun-misc-unsafe-memory-access=allow"));
  private int javaVersion = 25;
  private boolean nativeAccess = true;
  private long memory = 16 * GIB;
  private long maxHeap = 4 * GIB;
  private long poolBytes = 8 * GIB;
  private OptionalLong maxOpenFiles = OptionalLong.of(65536);
  private String temporary = "tmp";

  private Check check(String subject) throws IOException {
    Files.createDirectories(root.resolve("tmp"));
    var machine =
        new Machine(
            new Jvm(javaVersion, "25.0.3, a vendor", jvmArguments, nativeAccess, 4, maxHeap),
            memory,
            maxOpenFiles,
            root,
            root.resolve(temporary));
    List<Check> checks = new ArrayList<>(new JvmChecks(machine.jvm()).run());
    checks.addAll(new MachineChecks(machine, poolBytes).run());
    return checks.stream()
        .filter(check -> check.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }

  private void file(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, content);
  }

  @Test
  void anOlderJdkIsAProblem() throws IOException {
    assertThat(check("JDK")).isEqualTo(Check.ok("JDK", "25.0.3, a vendor"));
    javaVersion = 24;
    assertThat(check("JDK").level()).isEqualTo(Check.Level.PROBLEM);
    assertThat(check("JDK").cure()).isEqualTo("install a JDK 25 or newer");
  }

  @Test
  void missingFlagsOfTheJvmAreWarningsAndDeniedNativeAccessIsAProblem() throws IOException {
    assertThat(check("native access").level()).isEqualTo(Check.Level.OK);
    assertThat(check("sun.misc.Unsafe").level()).isEqualTo(Check.Level.OK);

    nativeAccess = false;
    jvmArguments.clear();

    assertThat(check("native access").level()).isEqualTo(Check.Level.WARNING);
    assertThat(check("native access").cure()).contains("--enable-native-access=ALL-UNNAMED");
    assertThat(check("sun.misc.Unsafe").level()).isEqualTo(Check.Level.WARNING);
    assertThat(check("sun.misc.Unsafe").cure()).contains("--sun-misc-unsafe-memory-access=allow");

    jvmArguments.add("--illegal-native-access=deny");

    assertThat(check("native access").level()).isEqualTo(Check.Level.PROBLEM);
  }

  @ParameterizedTest
  @CsvSource({
    "sys/fs/cgroup/cpu.max, max 100000, OK, the JVM uses 4",
    "sys/fs/cgroup/cpu.max, 150000 100000, OK, 'the JVM uses 4, limited to 1.50 by a control group'",
    "sys/fs/cgroup/cpu.max, 50000 100000, WARNING, 'the JVM uses 4, limited to 0.50 by a control"
        + " group: every thread is paused for part of the time'",
    "sys/fs/cgroup/cpu.max, garbage, OK, the JVM uses 4",
  })
  void showsTheLimitOfTheControlGroup(
      String path, String content, Check.Level level, String finding) throws IOException {
    file(path, content);

    assertThat(check("processors").level()).isEqualTo(level);
    assertThat(check("processors").finding()).isEqualTo(finding);
  }

  @Test
  void showsTheLimitOfAControlGroupOfVersion1() throws IOException {
    file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    assertThat(check("processors").finding()).isEqualTo("the JVM uses 4");

    file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
    assertThat(check("processors").finding()).contains("limited to 2.50");
  }

  @ParameterizedTest
  @CsvSource({
    "flags\t\t: fpu avx avx2 fma avx512f, OK, 'avx2, avx512f, fma'",
    "flags\t\t: fpu sse2 avx, WARNING, 'no AVX2 and FMA: models run slowly'",
    "flags\t\t: fpu avx2, WARNING, 'no AVX2 and FMA, only avx2: models run slowly'",
    "Features\t: fp asimd sve, OK, 'asimd, sve'",
  })
  void showsTheVectorInstructionsOfTheProcessor(String line, Check.Level level, String finding)
      throws IOException {
    file("proc/cpuinfo", "processor\t: 0\n" + line + "\nprocessor\t: 1\n");

    assertThat(check("vector instructions").level()).isEqualTo(level);
    assertThat(check("vector instructions").finding()).isEqualTo(finding);
  }

  @Test
  void knowsNothingOfInstructionsWithoutProc() throws IOException {
    assertThat(check("vector instructions"))
        .isEqualTo(Check.ok("vector instructions", "unknown on this system"));
  }

  @Test
  void comparesHeapTensorsAndDirectBuffersWithTheMemory() throws IOException {
    assertThat(check("memory"))
        .isEqualTo(
            Check.ok("memory", "16.0 GiB; the heap takes up to 4.0 GiB, tensors up to 8.0 GiB"));

    jvmArguments.add("-XX:MaxDirectMemorySize=4g");
    assertThat(check("memory").level()).isEqualTo(Check.Level.WARNING);
    assertThat(check("memory").finding())
        .contains(", direct buffers up to 4.0 GiB: under load the system may end the process");

    jvmArguments.add("-XX:MaxDirectMemorySize=512m"); // the last one counts
    assertThat(check("memory").level()).isEqualTo(Check.Level.OK);

    maxHeap = 12 * GIB;
    assertThat(check("memory").level()).isEqualTo(Check.Level.WARNING);
    maxHeap = 20 * GIB;
    assertThat(check("memory").level()).isEqualTo(Check.Level.PROBLEM);
    assertThat(check("memory").cure()).contains("-Xmx", "JAVA_OPTS");
  }

  @Test
  void leavesRoomForWhatIsNeitherHeapNorTensor() throws IOException {
    memory = 512 * MIB;
    maxHeap = 128 * MIB;
    poolBytes = 234 * MIB;
    assertThat(check("memory").level()).isEqualTo(Check.Level.OK);
    poolBytes = 235 * MIB;
    assertThat(check("memory").level()).isEqualTo(Check.Level.WARNING);
    assertThat(check("memory").cure()).startsWith("lower --max-tensor-memory");
  }

  @Test
  void warnsOfALowLimitOfOpenFiles() throws IOException {
    assertThat(check("open files")).isEqualTo(Check.ok("open files", "up to 65536"));
    maxOpenFiles = OptionalLong.of(1024);
    assertThat(check("open files").level()).isEqualTo(Check.Level.WARNING);
    maxOpenFiles = OptionalLong.empty();
    assertThat(check("open files").level()).isEqualTo(Check.Level.OK);
  }

  @Test
  void aTemporaryDirectoryThatCannotBeWrittenIsAProblem() throws IOException {
    assertThat(check("temporary directory").finding())
        .matches(root.resolve("tmp") + ", [\\d.]+ [GM]iB free");
    try (var left = Files.list(root.resolve("tmp"))) {
      assertThat(left).isEmpty();
    }
    temporary = "none";
    assertThat(check("temporary directory").level()).isEqualTo(Check.Level.PROBLEM);
    assertThat(check("temporary directory").cure()).contains("-Djava.io.tmpdir=<directory>");
  }
}
