package io.nereid.server.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The search of {@code bin/jdk25.sh}, in folders that contain what it reads of a JDK. */
@DisabledOnOs(OS.WINDOWS)
final class JdkSearchTest {
  private static final Path SCRIPT = Path.of("src/main/dist/bin/jdk25.sh").toAbsolutePath();

  private final Path machine;

  JdkSearchTest(@TempDir Path machine) throws IOException {
    this.machine = machine.toRealPath();
  }

  @Test
  void prefersJavaHomeToThePathAndThePathToTheUsualFolders() throws Exception {
    Path home = jdk("home", "25.0.3");
    Path onPath = jdk("path/25", "25");
    Path usual = jdk("jvms/25", "25.0.1");

    assertThat(search("javac", home, onPath)).isEqualTo(found(home));
    assertThat(search("javac", machine, onPath)).isEqualTo(found(onPath));
    assertThat(search("javac", machine, machine)).isEqualTo(found(usual));
  }

  @Test
  void ignoresJdksOlderThan25() throws Exception {
    Path old = jdk("home", "17.0.15");
    Path older = jdk("path/8", "1.8.0_402");
    jdk("jvms/24", "24.0.2");
    Path recent = jdk("jvms/with a blank", "26-ea");

    assertThat(search("javac", old, older)).isEqualTo(found(recent));
  }

  @Test
  void requiresACompilerOnlyForABuild() throws Exception {
    Path runtime = jdk("home", "25.0.3");
    Path whole = jdk("jvms/25", "25.0.3");
    Files.delete(runtime.resolve("bin/javac"));

    assertThat(search("java", runtime, machine)).isEqualTo(found(runtime));
    assertThat(search("javac", runtime, machine)).isEqualTo(found(whole));
  }

  @Test
  void followsTheLinksOfTheJavaOnThePath() throws Exception {
    Path jdk = jdk("opt/25", "25.0.3");
    Path usr = machine.resolve("usr");
    Path bin = Files.createDirectories(usr.resolve("bin"));
    Files.createSymbolicLink(usr.resolve("java"), jdk.resolve("bin/java"));
    Files.createSymbolicLink(bin.resolve("java"), Path.of("../java"));

    assertThat(search("javac", machine, usr)).isEqualTo(found(jdk));
  }

  @Test
  void runsJavaOfAJdkWithoutAReleaseFile() throws Exception {
    Path jdk = jdk("home", "25.0.3");
    Files.delete(jdk.resolve("release"));
    program(jdk.resolve("bin/java"), "echo 'openjdk version \"25.0.3\" 2026-04-21' >&2");

    assertThat(search("javac", jdk, machine)).isEqualTo(found(jdk));
  }

  @Test
  void runsTheJavaOnThePathIfItIsAScript() throws Exception {
    Path jdk = jdk("managed/25", "25.0.3");
    Path shims = machine.resolve("shims");
    program(shims.resolve("bin/java"), "echo '    java.home = %s' >&2".formatted(jdk));

    assertThat(search("javac", machine, shims)).isEqualTo(found(jdk));
  }

  @Test
  void printsInOneLineWhatToInstallIfItFindsNone() throws Exception {
    Path old = jdk("home", "17.0.15");

    Outcome outcome = search("javac", old, machine);

    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.output().lines())
        .singleElement()
        .asString()
        .startsWith("nereid: needs a JDK 25 or newer and found none: install one")
        .contains("JAVA_HOME");
  }

  @Test
  void theMavenWrapperSearchesWithoutJavaHome() throws Exception {
    Path old = jdk("path/17", "17.0.15");
    Path recent = jdk("jvms/25", "25.0.3");
    Path wrapper = Path.of("../mvnw").toAbsolutePath();
    String script = Files.readString(wrapper);
    String own = script.substring(script.indexOf("# Nereid's own"), script.indexOf("set -euf"));
    var process =
        new ProcessBuilder("/bin/sh", "-c", own + "echo \"$JAVA_HOME\"", wrapper.toString());

    assertThat(run(process, Map.of("PATH", old.resolve("bin") + ":/usr/bin:/bin")))
        .isEqualTo(found(recent));
  }

  private record Outcome(int status, String output) {}

  private static Outcome found(Path jdk) {
    return new Outcome(0, jdk + "\n");
  }

  /** Creates what the search reads of a JDK. */
  private Path jdk(String folder, String version) throws IOException {
    Path jdk = machine.resolve(folder);
    program(jdk.resolve("bin/java"), "exit 1");
    program(jdk.resolve("bin/javac"), "exit 1");
    Files.writeString(
        jdk.resolve("release"), "JAVA_VERSION=\"%s\"\nOS_NAME=\"Linux\"\n".formatted(version));
    return jdk;
  }

  private static void program(Path file, String line) throws IOException {
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Searches with {@code javaHome}, and with {@code onPath/bin} first on the PATH. */
  private Outcome search(String need, Path javaHome, Path onPath) throws Exception {
    Path tools = machine.resolve("tools");
    for (String tool : List.of("sed", "tr", "readlink")) {
      program(tools.resolve(tool), "PATH=/usr/bin:/bin exec %s \"$@\"".formatted(tool));
    }
    var process =
        new ProcessBuilder(
            "/bin/bash",
            "-euo",
            "pipefail",
            "-c",
            ". \"$0\"; use_jdk \"$1\"; echo \"$JAVA_HOME\"",
            SCRIPT.toString(),
            need);
    return run(
        process,
        Map.of(
            "JAVA_HOME",
            javaHome.toString(),
            "PATH",
            onPath.resolve("bin") + File.pathSeparator + tools));
  }

  private Outcome run(ProcessBuilder process, Map<String, String> environment) throws Exception {
    process.redirectErrorStream(true).environment().clear();
    process.environment().putAll(environment);
    process.environment().put("NEREID_JVMS", machine.resolve("jvms").toString());
    Process running = process.start();
    String output = new String(running.getInputStream().readAllBytes(), UTF_8);
    return new Outcome(running.waitFor(), output);
  }
}
