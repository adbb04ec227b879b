package io.nereid.server.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The project's {@code ./nereid}, with a script in place of Maven and of the distribution. */
class BuildScriptTest {
  /** Makes a distribution that prints what it is called with, and whether it has a cache then. */
  private static final String MAVEN =
      """
      #!/bin/bash
      echo "$MAVEN_OPTS, $*, $JAVA_HOME" >"$(dirname "$0")/called"
      case " $* " in
        *" install "*)
          folder='/the home/.m2/repository/io/nereid'
          echo "[INFO] Installing $PWD/bom/pom.xml to $folder/nereid-bom/1.2.3/nereid-bom-1.2.3.pom"
          echo "[INFO] Installing $PWD/pom.xml to $folder/nereid/1.2.3/nereid-1.2.3.pom"
          exit
          ;;
      esac
      home=$(dirname "$0")/server-nima/target/nereid
      mkdir -p "$home/bin"
      cat >"$home/bin/nereid" <<'SCRIPT'
      #!/bin/bash
      home=$(dirname "$0")/..
      if [ "$1" = aot ]; then
        [ ! -e "$home/broken" ] && echo cache >"$home/nereid.aot"
        exit
      fi
      if [ "$1" = demo ] && [ "$2" != --once ]; then
        until [ -s "$home/nereid.aot" ]; do sleep 0.01; done
      fi
      echo "$* $([ -e "$home/nereid.aot" ] && cat "$home/nereid.aot")"
      SCRIPT
      chmod +x "$home/bin/nereid"
      """;

  private static final Path THIS_JDK = Path.of(System.getProperty("java.home"));

  @TempDir private Path project;
  private Path home;

  @BeforeEach
  void project() throws IOException {
    home = project.resolve("server-nima/target/nereid");
    Path scripts = project.resolve("server-nima/src/main/dist/bin");
    Files.createDirectories(scripts);
    Files.createDirectories(project.resolve(".mvn"));
    Files.createDirectories(project.resolve("engine/src/main"));
    Files.createDirectories(project.resolve("server-nima/trace/src/main"));
    Files.createDirectories(project.resolve("examples"));
    Files.copy(Path.of("src/main/dist/bin/jdk25.sh"), scripts.resolve("jdk25.sh"));
    Files.copy(Path.of("../nereid"), project.resolve("nereid"));
    for (String file :
        List.of("pom.xml", ".mvn/jvm.config", "engine/pom.xml", "server-nima/trace/pom.xml")) {
      Files.createFile(project.resolve(file));
    }
    Path maven = Files.writeString(project.resolve("mvnw"), MAVEN);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void makesACacheBeforeTheFirstServerStarts() throws Exception {
    assertThat(run("serve")).isEqualTo("serve cache\n");
    Files.writeString(home.resolve("nereid.aot"), "the same");
    assertThat(run("--http-port", "1")).isEqualTo("--http-port 1 the same\n");
  }

  @Test
  void makesNoCacheForOtherCommands() throws Exception {
    assertThat(run("lint", "models")).isEqualTo("lint models \n");
    assertThat(run("demo", "--once")).isEqualTo("demo --once \n");
  }

  @Test
  void makesACacheWhileTheDemoServes() throws Exception {
    assertThat(run("demo")).isEqualTo("demo cache\n");
  }

  @Test
  void forgetsTheCacheOfWhatWasBuiltBefore() throws Exception {
    run("serve");
    Files.writeString(home.resolve("nereid.aot"), "old");
    Files.delete(project.resolve("server-nima/target/nereid.built"));
    assertThat(run("lint")).isEqualTo("lint \n");
  }

  @Test
  void servesWithoutACacheThatCannotBeMade() throws Exception {
    run("lint");
    Files.createFile(home.resolve("broken"));
    assertThat(run("serve")).isEqualTo("serve \n");
  }

  @Test
  void saysWhatItHasInstalledAndWhere() throws Exception {
    assertThat(run("install")).isEmpty();
    assertThat(Files.readAllLines(project.resolve("errors")))
        .last()
        .isEqualTo("nereid: installed io.nereid 1.2.3 into /the home/.m2/repository");
  }

  @ParameterizedTest
  @CsvSource({"--help, JDK 25, junit/jvm", "--client -h, JDK 17, bom protocol client"})
  void saysWhatInstallWouldDo(String words, String jdk, String libraries) throws Exception {
    assertThat(run(("install " + words).split(" ")))
        .startsWith("usage: ./nereid install [--client] [options]\n")
        .contains(jdk, libraries);
    assertThat(project.resolve("called")).doesNotExist();
  }

  @Test
  void installsTheClientOfAJdk17AndNothingElse() throws Exception {
    Path jdk = jdk17();
    run(jdk, "install", "--client", "-o");

    assertThat(Files.readString(project.resolve("called")))
        .contains(" -pl bom,protocol,client -am ", " -Drequired.java=17 -o, " + jdk)
        .doesNotContain("--sun-misc-unsafe-memory-access"); // which a JDK 17 refuses
    assertThat(Files.readAllLines(project.resolve("errors")))
        .last()
        .isEqualTo("nereid: installed io.nereid 1.2.3 into /the home/.m2/repository");
    // so that new-backend installs the rest
    assertThat(project.resolve("server-nima/target/nereid.installed")).doesNotExist();
  }

  @Test
  void installsTheLibrariesWithAJdkThatBuildsThem() throws Exception {
    Path jdk = jdk17();
    run(jdk, "install");

    assertThat(Files.readString(project.resolve("called")))
        .contains("--sun-misc-unsafe-memory-access=allow", ",server-nima,", " -Drequired.java=25, ")
        .doesNotContain(jdk.toString());
    assertThat(project.resolve("server-nima/target/nereid.installed")).exists();
  }

  /** A folder that looks like a JDK 17. */
  private Path jdk17() throws IOException {
    Path jdk = project.resolve("jdk17");
    Path bin = Files.createDirectories(jdk.resolve("bin"));
    for (String program : List.of("java", "javac")) {
      Path file = Files.createFile(bin.resolve(program));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    return jdk;
  }

  private String run(String... arguments) throws Exception {
    return run(THIS_JDK, arguments);
  }

  private String run(Path jdk, String... arguments) throws Exception {
    var builder = new ProcessBuilder("bash", project.resolve("nereid").toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().remove("MAVEN_OPTS");
    builder.environment().put("JAVA_HOME", jdk.toString());
    builder.environment().put("NEREID_JVMS", THIS_JDK.resolve("..").toString());
    Process process = builder.redirectError(project.resolve("errors").toFile()).start();
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).withFailMessage(() -> read(project.resolve("errors"))).isZero();
    return printed;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }
}
