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

/** The project's {@code ./nereid}, with a script in place of Maven and of the distribution. */
class BuildScriptTest {
  /** Makes a distribution that prints what it is called with, and whether it has a cache then. */
  private static final String MAVEN =
      """
      #!/bin/bash
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
        until [ -e "$home/nereid.aot" ]; do sleep 0.01; done
      fi
      echo "$* $([ -e "$home/nereid.aot" ] && cat "$home/nereid.aot")"
      SCRIPT
      chmod +x "$home/bin/nereid"
      """;

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

  private String run(String... arguments) throws Exception {
    var builder = new ProcessBuilder("bash", project.resolve("nereid").toString());
    builder.command().addAll(List.of(arguments));
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
