package io.nereid.onnx.ort;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This backend in one process with ONNX Runtime's own Java API: of the same version, and of those
 * whose jars are in the folder that {@code -Dnereid.onnxruntime.jars} names.
 */
@Timeout(120)
class TwoRuntimesTest {
  private static final OrtLibrary.Platform PLATFORM = OrtLibrary.Platform.current();

  @TempDir private Path directory = Path.of("");

  private static Path jarOfTheBuild() throws IOException {
    var loader = OrtLibrary.class.getClassLoader();
    String path = OrtLibrary.resource(loader, PLATFORM).getPath();
    return Path.of(URI.create(path.substring(0, path.lastIndexOf("!/"))));
  }

  private static List<Path> jars() throws IOException {
    String folder = System.getProperty("nereid.onnxruntime.jars", "");
    if (folder.isEmpty()) {
      return List.of(jarOfTheBuild());
    }
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      return files.sorted().toList();
    }
  }

  static Stream<Arguments> jarsAndOrders() throws IOException {
    return jars().stream()
        .flatMap(jar -> Stream.of("backend", "api").map(first -> Arguments.of(first, jar)));
  }

  @ParameterizedTest
  @MethodSource("jarsAndOrders")
  void eachHasALibraryOfItsOwnWhicheverIsFirst(String first, Path jar) throws Exception {
    Path library = OrtLibrary.find(Optional.empty(), null, Optional.of(directory));
    Path model = Path.of(requireNonNull(getClass().getResource("/models/simple.onnx")).toURI());
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.io.tmpdir=" + directory,
            TwoRuntimes.class.getName(),
            first,
            library.toString(),
            model.toString());
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    // ONNX Runtime 1.29 parses the command line recursively; a long class path overflows its stack.
    builder.environment().put("CLASSPATH", jar + File.pathSeparator + path);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines().limit(2)).containsOnly("sums 32 and 32");
    System.out.printf("%s first: %s%n", first, output.lines().toList().getLast());
  }
}
