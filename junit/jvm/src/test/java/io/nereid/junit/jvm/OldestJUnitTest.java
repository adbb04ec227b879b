package io.nereid.junit.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.core.JsonFactory;
import io.nereid.client.NereidClient;
import io.nereid.junit.NereidTest;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The extension with JUnit 5.12.0, the oldest that it runs on, and a server's process with JDK 17:
 * in JVMs of their own.
 */
@Timeout(240)
class OldestJUnitTest {
  private static final Path JUNIT =
      Path.of("target/oldest-junit/junit-platform-console-standalone.jar");

  private static final Path JDK_17 = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
  private static final Path JDK_25 = Path.of(System.getProperty("java.home"), "bin/java");

  @TempDir Path folder;

  private static String run(Path java, Stream<Path> classPath, String... selectors)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java.toString()));
    if (java.equals(JDK_25)) {
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    }
    command.add("-cp");
    command.add(joined(Stream.concat(classPath, Stream.of(JUNIT))));
    command.addAll(List.of("org.junit.platform.console.ConsoleLauncher", "execute"));
    command.addAll(List.of("--disable-banner", "--disable-ansi-colors"));
    command.addAll(List.of(selectors));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return output;
  }

  private static String joined(Stream<Path> classPath) {
    return classPath
        .map(path -> path.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** The class path of this test without the JUnit that runs it. */
  private static Stream<Path> withoutJUnit() {
    return Arrays.stream(TestDistribution.CLASS_PATH.split(File.pathSeparator))
        .map(Path::of)
        .filter(path -> !path.toString().contains("/org/junit/"));
  }

  /** What a project on JDK 17 has. */
  private static Stream<Path> ofJdk17() {
    return Stream.of(NereidTest.class, NereidClient.class, JsonFactory.class)
        .map(OldestJUnitTest::location);
  }

  @Test
  void serversInTheJvmAndProcessesStartAndEndWithTheOldestJUnit() throws Exception {
    String output =
        run(
            JDK_25,
            withoutJUnit(),
            "--select-method=io.nereid.junit.jvm.NereidTestTest#nothingIsLeftAfterTheLastTest",
            "--select-method=io.nereid.junit.jvm.NereidTestTest#theLogIsShownOnceATestFails",
            "--select-method=io.nereid.junit.jvm.DistributionTest#aProcessServesTheTestsAndEndsWithThem");

    assertThat(output).contains("3 tests successful", "0 tests failed");
  }

  private String sample(String distribution, Stream<Path> more) throws Exception {
    assumeThat(JDK_17).exists();
    Path source = folder.resolve("Sample.java");
    Files.writeString(
        source,
        """
        import io.nereid.client.NereidClient;
        import io.nereid.junit.NereidTest;
        import org.junit.jupiter.api.Assertions;
        import org.junit.jupiter.api.Test;

        @NereidTest(repository = "../../examples/models",
            options = {"model-control-mode=explicit", "load-model=simple"} %s)
        class Sample {
          @Test
          void isReady(NereidClient client) {
            Assertions.assertTrue(client.models().isReady("simple"));
            System.out.println("JDK " + Runtime.version().feature());
          }
        }
        """
            .formatted(distribution));
    List<Path> classPath = Stream.concat(ofJdk17(), more).toList();
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    null,
                    null,
                    "--release=17",
                    "-proc:none",
                    "-d",
                    folder.toString(),
                    "-cp",
                    joined(Stream.concat(classPath.stream(), Stream.of(JUNIT))),
                    source.toString()))
        .isZero();
    return run(
        JDK_17, Stream.concat(classPath.stream(), Stream.of(folder)), "--select-class=Sample");
  }

  @Test
  void aProcessServesTestsOnJdk17() throws Exception {
    TestDistribution distribution = TestDistribution.in(folder.resolve("nereid"));

    String output = sample(", distribution = \"%s\"".formatted(distribution.folder()), Stream.of());

    assertThat(output).contains("JDK 17", "1 tests successful");
    assertThat(ProcessHandle.of(distribution.process())).isEmpty();
  }

  @Test
  void onJdk17AServerInTheJvmIsRefusedWithASentence() throws Exception {
    assertThat(sample("", Stream.of()))
        .contains(
            "did not start: a server in the JVM of the tests needs JDK 25 and"
                + " io.nereid:nereid-junit-jvm, which is not on the class path; with"
                + " 'distribution', the server is a process");
    assertThat(sample("", Stream.of(location(JvmServer.class))))
        .contains(
            "did not start: a server in the JVM of the tests needs JDK 25 and"
                + " io.nereid:nereid-junit-jvm, but this is JDK 17: ");
  }
}
