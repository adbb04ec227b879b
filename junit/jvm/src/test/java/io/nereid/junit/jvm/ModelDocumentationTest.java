package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The model with its two tests of {@code docs/java-models.md}, compiled and run. */
@Timeout(120)
class ModelDocumentationTest {
  private static final Path MODELS = Path.of("../../examples/models");

  private static List<String> blocks(String page, String language) {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(page)
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  /** Compiles sources; returns the folder of their classes. */
  private static Path compile(Path folder, Path... sources) throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    var errors = new ByteArrayOutputStream();
    List<String> arguments =
        new ArrayList<>(
            List.of("-proc:none", "-d", classes.toString(), "-cp", TestDistribution.CLASS_PATH));
    Stream.of(sources).map(Path::toString).forEach(arguments::add);
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, errors, arguments.toArray(String[]::new));
    assertThat(status).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    return classes;
  }

  /**
   * A source of a part of a model's code.
   *
   * @param imports that the page has had so far; those of the block are added
   */
  private static String part(String block, Set<String> imports) {
    block.lines().filter(line -> line.startsWith("import ")).forEach(imports::add);
    String body = block.replaceAll("(?m)^import .*\n", "");
    boolean isMethod = body.strip().startsWith("@Override");
    return """
    import io.nereid.java.*;
    import java.util.*;
    import java.util.concurrent.*;
    %s
    public final class Part implements JavaModel {
      private final float[] crops = {};
      private final int n = 0;
      %s
      @Override
      public Response infer(Request request, Calls calls) {
        %s
        return Response.of();
      }
    }
    """
        .formatted(
            String.join("\n", imports),
            isMethod ? body : "",
            isMethod ? "" : "if (n > 0) {\n%s}\n".formatted(body));
  }

  @Test
  void theCodeInFrontOfTheTestsCompiles(@TempDir Path folder) throws IOException {
    String page = Files.readString(Path.of("../../docs/java-models.md"));
    List<String> sources = blocks(page.substring(0, page.indexOf("\n## Tests")), "java");
    assertThat(sources).hasSize(4);

    compile(
        Files.createDirectory(folder.resolve("0")),
        Files.writeString(folder.resolve("Doubler.java"), sources.getFirst()));
    Set<String> imports = new LinkedHashSet<>();
    for (int i = 1; i < sources.size(); i++) {
      compile(
          Files.createDirectory(folder.resolve("" + i)),
          Files.writeString(folder.resolve("Part.java"), part(sources.get(i), imports)));
    }
  }

  @Test
  void theModelOfThePageAndItsTestsWork(@TempDir Path folder) throws Exception {
    String page = Files.readString(Path.of("../../docs/java-models.md"));
    String section = page.substring(page.indexOf("\n## Tests"), page.indexOf("\n## Debugging"));
    Path models = folder.resolve("models");
    Path version = Files.createDirectories(models.resolve("sums/1"));
    Files.writeString(models.resolve("sums/config.pbtxt"), blocks(section, "text").getFirst());
    copy(MODELS.resolve("simple"), models.resolve("simple"));
    List<String> sources = blocks(section, "java");
    assertThat(sources).hasSize(3);
    Path model = Files.writeString(version.resolve("Sums.java"), sources.get(0));
    Path unitTest = folder.resolve("SumsTest.java");
    Path serverTest = folder.resolve("SumsServerTest.java");
    Files.writeString(
        unitTest, sources.get(1).replace("Path.of(\"models/", "Path.of(\"%s/".formatted(models)));
    Files.writeString(
        serverTest,
        sources.get(2).replace("repository = \"models\"", "repository = \"%s\"".formatted(models)));
    Path classes = compile(folder, model, unitTest, serverTest);

    try (var loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      TestRun.of(loader.loadClass("SumsTest"), loader.loadClass("SumsServerTest")).succeeds(2);
    }
  }
}
