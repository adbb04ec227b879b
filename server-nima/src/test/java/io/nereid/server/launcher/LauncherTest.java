package io.nereid.server.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The distribution's {@code bin/nereid}, with a program in place of the JVM. */
class LauncherTest {
  private static final String SHRINKING =
      "-XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=20 -XX:-ShrinkHeapInSteps";

  /** Prints its arguments, and makes the file of {@code -XX:AOTCacheOutput}. */
  private static final String JAVA =
      """
      #!/bin/bash
      printf '%s\\n' "$@"
      for argument; do
        case $argument in
          -XX:AOTCacheOutput=*) printf cache >"${argument#*=}" ;;
        esac
      done
      """;

  private final Map<String, String> variables = new HashMap<>();
  @TempDir private Path home;
  private String locale = "";
  private Path jdk;
  private Path cache;

  @BeforeEach
  void install() throws IOException {
    jdk = jdk("25.0.3");
    cache = home.resolve("nereid.aot");
    Files.createDirectory(home.resolve("bin"));
    Files.createDirectory(home.resolve("lib"));
    Files.createFile(home.resolve("lib/server.jar"));
    for (String script : List.of("nereid", "jdk25.sh")) {
      Files.copy(Path.of("src/main/dist/bin", script), home.resolve("bin").resolve(script));
    }
  }

  @Test
  void passesNoCacheWhenThereIsNone() throws Exception {
    assertThat(run("serve"))
        .contains("-Dnereid.aot.obstacle=there is no " + cache)
        .noneMatch(each -> each.startsWith("-XX:AOTCache"));
  }

  @Test
  void passesTheCacheThatItHasMade() throws Exception {
    run("aot");

    assertThat(run("serve", "--http-port", "1"))
        .contains("-XX:AOTCache=" + cache, "-Dnereid.aot.obstacle=")
        .endsWith("io.nereid.server.Main", "serve", "--http-port", "1");
  }

  @Test
  void passesTheCacheOfAFolderThatHasMoved() throws Exception {
    run("aot");
    Path moved = Files.createDirectory(home.resolve("moved"));
    for (String each : List.of("bin", "lib", "nereid.aot", "nereid.aot.record")) {
      Files.move(home.resolve(each), moved.resolve(each));
    }
    home = moved;

    assertThat(run("serve"))
        .contains(
            "-XX:AOTCache=" + moved.resolve("nereid.aot"),
            "-Dnereid.aot.obstacle=",
            "-Dnereid.home=" + moved);
  }

  @Test
  void passesNoCacheThatIsNotWhole() throws Exception {
    run("aot");
    Files.writeString(cache, "ca");

    assertThat(run("serve"))
        .contains(
            "-Dnereid.aot.obstacle=%s is not whole, or was made by another JDK or for other jars"
                .formatted(cache))
        .noneMatch(each -> each.startsWith("-XX:AOTCache"));
  }

  @Test
  void passesNoCacheOfAnotherJdk() throws Exception {
    run("aot");
    jdk = jdk("25.0.4");

    assertThat(run("serve")).noneMatch(each -> each.startsWith("-XX:AOTCache"));
  }

  @Test
  void passesNoCacheOfOtherJars() throws Exception {
    run("aot");
    Files.writeString(home.resolve("lib/server.jar"), "newer");

    assertThat(run("serve")).noneMatch(each -> each.startsWith("-XX:AOTCache"));
  }

  @Test
  void passesTheCacheOfACopyWithOtherTimes() throws Exception {
    run("aot");
    Path jar = home.resolve("lib/server.jar");
    FileTime made = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(made.toMillis() + 5000));
    Files.setLastModifiedTime(cache, FileTime.fromMillis(made.toMillis() + 5000));

    assertThat(run("serve")).contains("-XX:AOTCache=" + cache, "-Dnereid.aot.obstacle=");
    assertThat(Files.getLastModifiedTime(jar).to(TimeUnit.SECONDS))
        .as("the JVM compares it")
        .isEqualTo(made.to(TimeUnit.SECONDS));
  }

  @Test
  void passesNoCacheOfOtherJarsOfTheSameSize() throws Exception {
    Path jar = Files.writeString(home.resolve("lib/server.jar"), "one");
    run("aot");
    Files.writeString(jar, "two");
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));

    assertThat(run("serve")).noneMatch(each -> each.startsWith("-XX:AOTCache"));
    assertThat(Files.getLastModifiedTime(jar)).isEqualTo(FileTime.fromMillis(0));
  }

  @Test
  void passesNoCacheWhoseRecordIsLost() throws Exception {
    run("aot");
    Files.delete(home.resolve("nereid.aot.record"));

    assertThat(run("serve")).noneMatch(each -> each.startsWith("-XX:AOTCache"));
  }

  @Test
  void saysThatItMakesACacheAndLeavesNoneWhenTheTrainingFails() throws Exception {
    run("aot");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/bash\nexit 1\n");

    Process process = process(ProcessBuilder.Redirect.PIPE, "aot");
    assertThat(new String(process.getErrorStream().readAllBytes(), UTF_8).lines())
        .containsExactly(
            "nereid: making the AOT cache, once for these jars and this JDK; it takes 10 to 30 s",
            "nereid: the AOT cache could not be made");
    assertThat(process.waitFor()).isOne();
    assertThat(cache).doesNotExist();
  }

  @Test
  void keepsSpacesAndStarsOfArguments() throws Exception {
    assertThat(run("serve", "--id", "a  b", "*")).endsWith("--id", "a  b", "*");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | ''                              | -XX:+UseSerialGC " + SHRINKING + " -Xmn28m -Xms40m",
        "1 | -Dany=1  | -XX:+UseSerialGC " + SHRINKING + " -Xmn28m -Xms40m -Dany=1",
        "2 | -Xmx96m                         | -XX:+UseSerialGC " + SHRINKING + " -Xmx96m",
        "2 | -XX:MaxRAMPercentage=50  | -XX:+UseSerialGC " + SHRINKING + " -XX:MaxRAMPercentage=50",
        "2 | -XX:MaxHeapSize=32m       | -XX:+UseSerialGC " + SHRINKING + " -XX:MaxHeapSize=32m",
        "2 | -XX:MinHeapFreeRatio=30  | -XX:+UseSerialGC -Xmn28m -Xms40m -XX:MinHeapFreeRatio=30",
        "2 | -XX:+UseG1GC                    | -XX:+UseG1GC",
        "4 | ''                              | ''",
        "4 | -Xmx1g                          | -Xmx1g"
      })
  void choosesTheHeapByProcessors(String processors, String options, String expected)
      throws Exception {
    program(home.resolve("nproc"), "#!/bin/bash\necho " + processors + "\n");
    variables.put("PATH", home + ":" + System.getenv("PATH"));
    variables.put("JAVA_OPTS", options);

    List<String> arguments = run("serve");

    int last = arguments.indexOf("-Xlog:trimnative=off");
    assertThat(arguments.subList(last + 1, arguments.indexOf("-cp")))
        .filteredOn(each -> !each.startsWith("-Dnereid"))
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
  }

  @ParameterizedTest
  @CsvSource({"1,, 2", "2,, 2", "2, 5, 5", "4,,", "4, 5, 5"})
  void choosesTheHeapsOfTheCLibraryByProcessors(String processors, String before, String expected)
      throws Exception {
    program(home.resolve("nproc"), "#!/bin/bash\necho " + processors + "\n");
    program(jdk.resolve("bin/java"), "#!/bin/bash\necho \"${MALLOC_ARENA_MAX:-}\"\n");
    variables.put("PATH", home + ":" + System.getenv("PATH"));
    if (before != null) {
      variables.put("MALLOC_ARENA_MAX", before);
    }

    assertThat(run("serve")).containsExactly(expected == null ? "" : expected);
  }

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @ValueSource(
      strings = {"", "LANG=C", "LC_ALL=POSIX", "LANG=xx_XX.UTF-8", "LC_CTYPE=fa_IR", "LANG=tr_TR"})
  void givesTheJvmTheSameLocaleWhateverThatOfTheUser(String variable) throws Exception {
    program(jdk.resolve("bin/java"), "#!/bin/bash\necho \"$LC_ALL\"\n");
    locale = variable;

    assertThat(run("serve")).containsExactly("C.UTF-8");
  }

  @Test
  void leavesTheLocaleOfAMacWhereNamesAreAlwaysUtf8() throws Exception {
    program(jdk.resolve("bin/java"), "#!/bin/bash\necho \"${LC_ALL-unset}\"\n");
    variables.put("OSTYPE", "darwin25");

    assertThat(run("serve")).containsExactly("unset");
  }

  @Test
  void keepsStarsOfTheOptionsOfTheJvm() throws Exception {
    variables.put("JAVA_OPTS", "-Da=/*  /*\n-Db=?");

    assertThat(run("serve")).containsSequence("-Da=/*", "/*", "-Db=?");
  }

  @Test
  void printsTheOptionsOfTheJvmThatAreTheSameOnEveryMachine() throws Exception {
    program(home.resolve("nproc"), "#!/bin/bash\necho 4\n");
    variables.put("PATH", home + ":" + System.getenv("PATH"));
    run("aot");
    List<String> arguments = run("serve");
    program(home.resolve("nproc"), "#!/bin/bash\necho 1\n");
    variables.put("JAVA_OPTS", "-Xmx96m");

    assertThat(run("java-options"))
        .isEqualTo(
            arguments.subList(0, arguments.indexOf("io.nereid.server.Main")).stream()
                .map(each -> '"' + each + '"')
                .toList())
        .contains("\"-XX:AOTCache=%s\"".formatted(cache));
  }

  @Test
  void saysThatAFolderCannotBeOnAClassPath() throws Exception {
    Path moved = Files.createDirectory(home.resolve("with:colon"));
    for (String each : List.of("bin", "lib")) {
      Files.move(home.resolve(each), moved.resolve(each));
    }
    home = moved;

    Process process = process(ProcessBuilder.Redirect.PIPE, "serve");

    assertThat(new String(process.getErrorStream().readAllBytes(), UTF_8))
        .isEqualTo(
            "nereid: a class path cannot have '%s', since its name has a colon: rename it or"
                    .formatted(moved.toRealPath())
                + " install Nereid elsewhere\n");
    assertThat(process.waitFor()).isOne();
  }

  private Path jdk(String version) throws IOException {
    Path folder = Files.createDirectory(home.resolve("jdk " + version));
    Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"%s\"\n".formatted(version));
    program(Files.createDirectory(folder.resolve("bin")).resolve("java"), JAVA);
    return folder;
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process process(String... arguments) throws IOException {
    return process(ProcessBuilder.Redirect.INHERIT, arguments);
  }

  private Process process(ProcessBuilder.Redirect errors, String... arguments) throws IOException {
    var builder = new ProcessBuilder("bash", home.resolve("bin/nereid").toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("JAVA_HOME", jdk.toString());
    builder.environment().keySet().removeAll(List.of("JAVA_OPTS", "MALLOC_ARENA_MAX"));
    builder.environment().keySet().removeAll(List.of("LC_ALL", "LC_CTYPE", "LANG"));
    if (!locale.isEmpty()) {
      int equals = locale.indexOf('=');
      builder.environment().put(locale.substring(0, equals), locale.substring(equals + 1));
    }
    builder.environment().putAll(variables);
    return builder.redirectError(errors).start();
  }

  /** Returns the arguments of the JVM. */
  private List<String> run(String... arguments) throws Exception {
    Process process = process(arguments);
    List<String> printed =
        new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    assertThat(process.waitFor()).isZero();
    return printed;
  }
}
