package io.nereid.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Projects that {@code new-backend} makes. {@code make new-backend} builds one with Maven, too. */
class NewBackendTest {
  private static final List<String> PLACEHOLDERS =
      List.of("@name@", "@Class@", "@package@", "@folder@", "@version@", "@nereid@");

  private final Path directory;

  NewBackendTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private Path create(String name) {
    try {
      return new NewBackend(name, "1.2.3", "/opt/nereid/bin/nereid").create(directory);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void theProjectCompilesWithoutAWarningAndFulfilsTheRulesOfTheKit() throws Exception {
    Path project = create("my-first_one");
    Path classes = compile(project);
    copyServices(project, classes);

    assertThat(runKit(project, classes, "com.example.myfirstonebackend.MyFirstOneBackendTest"))
        .containsPattern("succeeded [4-9]\\d, failed 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class",
        "a",
        "int",
        "x9",
        "a-",
        "a__b",
        "abcdefghijklmnopqrstuvwxyz0123456789_-ab"
      })
  void anyNameOfABackendMakesAProjectThatCompiles(String name) throws Exception {
    assertThat(compile(create(name)).resolve("com/example")).isNotEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "My",
        "9a",
        "-a",
        "_a",
        "a b",
        "a/b",
        "..",
        "ä",
        "a.b",
        "abcdefghijklmnopqrstuvwxyz0123456789_-abc"
      })
  void aNameThatNoBackendCanHaveIsRefusedInASentence(String name) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> create(name))
        .withMessage(
            "a backend cannot be called '%s': expected at most 40 characters of a to z, 0 to 9, '_'"
                + " and '-', a letter first",
            name);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theNameOfABackendThatNereidHasIsRefused() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> create("onnxruntime"))
        .withMessage("a backend cannot be called 'onnxruntime': there is one of that name already");
  }

  @Test
  void whatExistsIsNotTouched() throws IOException {
    Path mine =
        Files.writeString(Files.createDirectory(directory.resolve("mine")).resolve("a"), "");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> create("mine"))
        .withMessage("'%s' exists already: choose another name, or delete it", mine.getParent())
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.ALREADY_EXISTS));
    assertThat(mine.getParent()).isDirectoryNotContaining(file -> !file.equals(mine));
  }

  @Test
  void noPlaceholderStaysAndProgramsAreExecutable() throws IOException {
    Path project = create("mine");
    for (Path file : files(project, "")) {
      assertThat(file.toString()).doesNotContain("@");
      assertThat(Files.readString(file)).as("%s", file).doesNotContain(PLACEHOLDERS);
    }
    assertThat(project.resolve("serve"))
        .isExecutable()
        .content()
        .contains("/opt/nereid/bin/nereid");
    assertThat(project.resolve("mvnw")).isExecutable();
    assertThat(project.resolve("pom.xml")).content().contains("<nereid.version>1.2.3<");
  }

  @Test
  void theWrapperOfMavenIsThatOfThisBuildWithoutItsSearchForAJdk() throws IOException {
    Path project = create("mine");
    String ours = Files.readString(Path.of("../mvnw"));
    int own = ours.indexOf("# Nereid's own");
    assertThat(own).isPositive();
    assertThat(project.resolve("mvnw"))
        .hasContent(ours.substring(0, own) + ours.substring(ours.indexOf("set -euf")));
    assertThat(project.resolve(".mvn/wrapper/maven-wrapper.properties"))
        .hasSameTextualContentAs(Path.of("../.mvn/wrapper/maven-wrapper.properties"));
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> Files.isRegularFile(file) && file.toString().endsWith(suffix))
          .toList();
    }
  }

  /** Compiles main and test code on the class path of this test. */
  private static Path compile(Path project) throws IOException {
    Path classes = project.resolve("target/classes");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var messages = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-Xlint:all,-classfile,-path",
            "-Werror",
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      var sources = manager.getJavaFileObjectsFromPaths(files(project.resolve("src"), ".java"));
      boolean compiled = compiler.getTask(messages, manager, null, options, null, sources).call();
      assertThat(compiled).as("%s", messages).isTrue();
    }
    return classes;
  }

  private static void copyServices(Path project, Path classes) throws IOException {
    Path resources = project.resolve("src/main/resources");
    for (Path file : files(resources, "")) {
      Path target = classes.resolve(resources.relativize(file));
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
  }

  /** Runs the tests in a process of their own, in the project's folder, without JVM options. */
  private static String runKit(Path project, Path classes, String testClass) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-cp", classes + ":" + absoluteClassPath(), KitRun.class.getName(), testClass));
    Process process =
        new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s", output).isZero();
    return output;
  }

  private static String absoluteClassPath() {
    return Stream.of(Objects.requireNonNull(System.getProperty("java.class.path")).split(":"))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .reduce((a, b) -> a + ":" + b)
        .orElseThrow();
  }
}
