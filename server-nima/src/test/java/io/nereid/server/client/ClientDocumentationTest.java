package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The programs of {@code docs/java.md} and of the README, compiled for JDK 17 and run, by a JDK 17
 * if this machine has one; those that say so for JDK 22 by this one.
 */
@Timeout(120)
class ClientDocumentationTest {
  private static final Pattern BLOCK =
      Pattern.compile(
          "(<!-- (?:compiled, not run|JDK 22) -->\n)?```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PRINTS = Pattern.compile("// prints (.*)$", Pattern.MULTILINE);
  private static final String NOT_RUN = "<!-- compiled, not run -->\n";
  private static final String FOR_JDK_22 = "<!-- JDK 22 -->\n";
  private static final Path JDK_17 = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
  private static final Path THIS_JDK = Path.of(System.getProperty("java.home"), "bin", "java");

  @SuppressWarnings("InlineFormatString") // read apart from the code that fills it
  private static final String HEAD =
      """
      import io.github.resilience4j.circuitbreaker.CircuitBreaker;
      import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
      import io.nereid.client.*;
      import io.nereid.client.grpc.ChannelTransport;
      import io.nereid.client.model.*;
      import io.nereid.client.rest.RestTransport;
      import java.net.ProxySelector;
      import java.net.http.HttpClient;
      import java.net.http.HttpClient.Version;
      import java.nio.ByteBuffer;
      import java.nio.ByteOrder;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.List;
      import java.util.Map;
      import java.util.concurrent.CompletableFuture;
      import java.util.concurrent.ForkJoinPool;
      import java.util.concurrent.TimeUnit;
      import java.util.function.Supplier;

      class %s {
        static NereidClient client;
        static io.grpc.Channel channel;
        static ProxySelector proxy;
        static Supplier<String> token = () -> "x";

      """;

  /** With the client is its module for shared memory, which only some programs use. */
  private static final List<String> FOR_REST = List.of("client", "nereid-client", "jackson-core");

  private static final List<String> FOR_GRPC =
      List.of(
          "protocol",
          "nereid-protocol",
          "grpc-",
          "netty-",
          "protobuf-java-",
          "guava",
          "failureaccess",
          "perfmark");

  private static final List<String> FOR_BOTH =
      Stream.concat(FOR_REST.stream(), FOR_GRPC.stream()).toList();

  /** What a program of the page has beside the client. */
  private static final List<String> OF_THE_PAGE =
      Stream.concat(FOR_BOTH.stream(), Stream.of("resilience4j-", "slf4j-api")).toList();

  /** Only what a program that uses the client has: none of the server. */
  private static String classPath(List<String> wanted) {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(all.split(File.pathSeparator))
        .filter(entry -> wanted.stream().anyMatch(name -> isOf(name, entry)))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isOf(String name, String entry) {
    Path path = Path.of(entry).toAbsolutePath().normalize();
    return path.getFileName().toString().startsWith(name)
        || path.toString().contains("/" + name + "/");
  }

  private static void compile(Path folder, Path source) {
    compile(folder, source, 17);
  }

  /** Compiles a source into a folder. */
  private static void compile(Path folder, Path source, int release) {
    var errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "--release",
                Integer.toString(release),
                "-d",
                folder.toString(),
                "-cp",
                classPath(OF_THE_PAGE),
                source.toString());
    assertThat(status).as(errors.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static String run(Path folder, String main, List<String> libraries)
      throws IOException, InterruptedException {
    return run(jdk17(), folder, main, classPath(libraries));
  }

  private static Path jdk17() {
    return Files.isExecutable(JDK_17) ? JDK_17 : THIS_JDK;
  }

  private static String run(Path java, Path folder, String main, String classPath)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(java.toString(), "-cp", folder + File.pathSeparator + classPath, main)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String at(LocalServer server, String program) {
    return program
        .replace("http://localhost:8000", server.http().toString())
        .replace("grpc://localhost:8001", "grpc://127.0.0.1:" + server.grpcPort());
  }

  /** A class of the page's programs, and the lines that they print. */
  private record Programs(String source, List<String> lines) {
    /**
     * Gathers programs of the page.
     *
     * @param forJdk22 whether those that need it, or the others
     */
    static Programs ofPage(String name, String imports, boolean forJdk22) throws IOException {
      StringBuilder source = new StringBuilder(imports + HEAD.formatted(name));
      StringBuilder main = new StringBuilder();
      List<String> lines = new ArrayList<>();
      Matcher blocks = BLOCK.matcher(Files.readString(Path.of("../docs/java.md")));
      for (int i = 0; blocks.find(); i++) {
        boolean isOfOthers = FOR_JDK_22.equals(blocks.group(1)) != forJdk22;
        if (isOfOthers || blocks.group(2).startsWith("@NereidTest")) {
          continue; // the latter is run by the module junit
        }
        source
            .append("  static void program%d() throws Exception {\n".formatted(i))
            .append(blocks.group(2))
            .append("  }\n\n");
        if (!NOT_RUN.equals(blocks.group(1))) {
          main.append("      program%d();\n".formatted(i));
          PRINTS.matcher(blocks.group(2)).results().forEach(match -> lines.add(match.group(1)));
        }
      }
      source.append(
          """
            public static void main(String[] args) throws Exception {
              try (NereidClient opened = NereidClient.connect("http://localhost:8000")) {
                client = opened;
          %s    }
            }
          }
          """
              .formatted(main));
      return new Programs(source.toString(), lines);
    }
  }

  @Test
  void everyProgramOfThePageDoesWhatItSays(@TempDir Path models, @TempDir Path folder)
      throws Exception {
    Programs programs = Programs.ofPage("Page", "", false);
    TckModels.extractTo(models);
    try (LocalServer server = new LocalServer(models)) {
      Path page = folder.resolve("Page.java");
      Files.writeString(page, at(server, programs.source()));
      compile(folder, page);

      assertThat(run(folder, "Page", OF_THE_PAGE).lines()).containsAll(programs.lines());
    }
    assertThat(programs.lines()).hasSizeGreaterThan(10);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theProgramWithSharedMemoryDoesWhatItSays(@TempDir Path models, @TempDir Path folder)
      throws Exception {
    Programs programs = Programs.ofPage("SharedPage", "import io.nereid.client.memory.*;\n", true);
    TckModels.extractTo(models);
    try (LocalServer server =
        new LocalServer(
            LocalServer.options(models, "--allow-client-shm=true"), new CheckedBufferPool())) {
      Path page = folder.resolve("SharedPage.java");
      Files.writeString(page, at(server, programs.source()));
      compile(folder, page, 22);

      // all that is printed: a JVM that warns of native access would say so
      assertThat(run(THIS_JDK, folder, "SharedPage", classPath(FOR_REST)).lines())
          .containsExactlyElementsOf(programs.lines());
    }
    assertThat(programs.lines()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"grpc-netty,grpc", "junit-jupiter,junit"})
  void thePagesNameTheVersionsThatWeBuildWith(String library, String property) throws IOException {
    Matcher version =
        Pattern.compile("<%1$s.version>(.*)</%1$s.version>".formatted(property))
            .matcher(Files.readString(Path.of("../pom.xml")));
    assertThat(version.find()).isTrue();

    assertThat(
            Pattern.compile(
                    "(?:<artifactId>%1$s</artifactId>\\s+<version>|'[a-z.]+:%1$s:)([^<']+)"
                        .formatted(library))
                .matcher(
                    Files.readString(Path.of("../docs/java.md"))
                        + Files.readString(Path.of("../docs/java-models.md")))
                .results()
                .map(match -> match.group(1)))
        .isNotEmpty()
        .containsOnly(version.group(1));
  }

  private static String firstProgram() throws IOException {
    return BLOCK
        .matcher(Files.readString(Path.of("../README.md")))
        .results()
        .map(match -> match.group(2))
        .filter(text -> text.contains("class First"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theReadmesFirstProgramInfersOverBothTransports(@TempDir Path models, @TempDir Path folder)
      throws Exception {
    assertThat(runFirst(models, folder, classPath(FOR_BOTH))).containsExactly("32, 32");
    assertThat(firstProgram().lines().filter(line -> !line.isBlank())).hasSize(10);
  }

  /** By {@code make client-lowest}, which resolves them into a folder. */
  @Test
  @EnabledIfSystemProperty(named = "nereid.client.lowest", matches = ".+")
  void theReadmesFirstProgramRunsWithTheLowestVersions(@TempDir Path models, @TempDir Path folder)
      throws Exception {
    String jars = Path.of(System.getProperty("nereid.client.lowest"), "*").toString();
    String classPath = classPath(List.of("client", "protocol")) + File.pathSeparator + jars;

    assertThat(runFirst(models, folder, classPath)).contains("32, 32");
  }

  private static List<String> runFirst(Path models, Path folder, String classPath)
      throws Exception {
    TckModels.extractTo(models);
    try (LocalServer server = new LocalServer(models)) {
      Path first = folder.resolve("First.java");
      Files.writeString(first, at(server, firstProgram()));
      compile(folder, first);

      return run(jdk17(), folder, "First", classPath).lines().toList();
    }
  }

  @Test
  void restNeedsNoGrpcAndGrpcSaysWhatItNeeds(@TempDir Path models, @TempDir Path folder)
      throws Exception {
    String program =
        """
        import io.nereid.client.*;

        class Bare {
          public static void main(String[] args) {
            try (NereidClient client = NereidClient.connect("http://localhost:8000")) {
              System.out.println(client.server().isReady());
            }
            try {
              NereidClient.connect("grpc://localhost:8001");
            } catch (IllegalStateException e) {
              System.out.println(e.getMessage());
            }
          }
        }
        """;
    TckModels.extractTo(models);
    try (LocalServer server = new LocalServer(models)) {
      Path bare = folder.resolve("Bare.java");
      Files.writeString(bare, at(server, program));
      compile(folder, bare);

      assertThat(run(folder, "Bare", FOR_REST).lines())
          .containsExactly(
              "true",
              "gRPC needs io.nereid:nereid-protocol, io.grpc:grpc-protobuf, io.grpc:grpc-stub and one of"
                  + " io.grpc:grpc-netty, grpc-netty-shaded and grpc-okhttp on the class path");
    }
  }
}
