package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A name has one meaning: no two classes of the product have the same, in whatever package. */
class UniqueNamesTest {
  private static final List<String> MODULES =
      List.of(
          "api-spi",
          "engine",
          "server-nima",
          "server-nima/repository-s3",
          "server-nima/trace-opentelemetry",
          "backend-onnx",
          "backend-tensorrt-ffm",
          "backend-trees",
          "backend-text",
          "backend-java",
          "client",
          "client/shared-memory",
          "client/engine",
          "client/tools",
          "tck/command",
          "junit",
          "junit/jvm",
          "integrations/micrometer",
          "integrations/spring-boot");
  private static final Set<String> OF_JAVA = Set.of("package-info.java", "module-info.java");

  /** Those that the client shares with the server, which its users do not have. */
  private static final Set<String> OF_THE_PROTOCOL =
      Set.of("Tensor.java", "DataType.java", "ModelStatistics.java");

  @Test
  void noTwoClassesHaveTheSameName() throws IOException {
    Map<String, Set<String>> places = new TreeMap<>();
    for (String module : MODULES) {
      Path sources = Path.of("..", module, "src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !OF_JAVA.contains(file.getFileName().toString()))
            .forEach(file ->
                places
                    .computeIfAbsent(file.getFileName().toString(), _ -> new TreeSet<>())
                    .add(module + "/" + sources.relativize(file)));
      }
    }
    places.values().removeIf(files -> files.size() == 1);
    places.keySet().removeAll(OF_THE_PROTOCOL);

    assertThat(places).isEmpty();
  }
}
