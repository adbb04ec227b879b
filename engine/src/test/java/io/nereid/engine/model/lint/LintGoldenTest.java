package io.nereid.engine.model.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ConfigSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What lint prints for broken repositories, each a folder: model directories and {@code
 * expected.txt}. A model without a version directory gets version 1. No backend is opened.
 */
class LintGoldenTest {
  private static final int MIN_CASES = 60;

  @TempDir private Path work;

  @TestFactory
  List<DynamicTest> printsTheFindingsOfEachBrokenRepository()
      throws IOException, URISyntaxException {
    List<Path> cases;
    try (Stream<Path> entries = Files.list(folder())) {
      cases = entries.filter(Files::isDirectory).sorted().toList();
    }
    assertThat(cases).hasSizeGreaterThan(MIN_CASES);
    return cases.stream()
        .map(each ->
            DynamicTest.dynamicTest(
                each.getFileName().toString(),
                () ->
                    assertThat(findings(each))
                        .isEqualTo(Files.readString(each.resolve("expected.txt")))))
        .toList();
  }

  private static Path folder() throws URISyntaxException {
    return Path.of(Objects.requireNonNull(LintGoldenTest.class.getResource("text-json")).toURI())
        .resolveSibling("");
  }

  private String findings(Path broken) throws IOException {
    Path repository = copy(broken);
    var settings = new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.empty());
    var text = new StringWriter();
    new FindingWriter(new PrintWriter(text))
        .write(RepositoryLint.run(settings, List.of(repository)));
    return text.toString().replace(repository + "/", "").replace("\r\n", "\n");
  }

  private Path copy(Path broken) throws IOException {
    Path repository = work.resolve(broken.getFileName().toString());
    try (Stream<Path> files = Files.walk(broken)) {
      for (Path file : files.toList()) {
        Path target = repository.resolve(broken.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else if (!file.endsWith("expected.txt")) {
          Files.copy(file, target);
        }
      }
    }
    try (Stream<Path> models = Files.list(repository)) {
      for (Path model : models.filter(Files::isDirectory).toList()) {
        if (!hasVersion(model)) {
          Files.createDirectory(model.resolve("1"));
        }
      }
    }
    return repository;
  }

  private static boolean hasVersion(Path model) throws IOException {
    try (Stream<Path> entries = Files.list(model)) {
      return entries.anyMatch(entry -> entry.getFileName().toString().matches("\\d+"));
    }
  }
}
