package io.nereid.engine.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.ModelConfig;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.echo.EchoBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendCatalogTest {
  /** The statements of a provider that opens. */
  private static final String FINE = "";

  private final Path directory;
  private final LogCapture log = new LogCapture("io.nereid.engine");

  BackendCatalogTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void stopRecording() {
    log.close();
  }

  private BackendCatalog catalog() {
    return new BackendCatalog(new PluginSettings(directory, Map.of()), List.of());
  }

  /** The loader of a backend's classes. */
  private static ClassLoader loader(BackendCatalog catalog, String name) {
    return ((GuardedBackend) catalog.open(name)).calls.loader;
  }

  private static InferenceException unavailable(BackendCatalog catalog, String name) {
    try {
      throw new AssertionError("opened: " + catalog.open(name));
    } catch (InferenceException failure) {
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      return failure;
    }
  }

  @Test
  void warnsOfOptionsForABackendThatWasNotFound() {
    Map<String, String> some = Map.of("key", "x");

    try (var _ =
        new BackendCatalog(
            new PluginSettings(directory, Map.of("", some, "tck_ecko", some, "tck_echo", some)),
            List.of())) {
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("options for backends [tck_ecko], which were not found; found are [")
          .contains("tck_echo");
    }
  }

  @Test
  void aBackendOpensByItsAliases() {
    var known =
        new BackendProvider() {
          @Override
          public String name() {
            return "known";
          }

          @Override
          public List<String> aliases() {
            return List.of("other", "tck_echo");
          }

          @Override
          public Backend open(BackendContext context) {
            return new EchoBackend().open(context);
          }
        };
    try (var catalog =
        new BackendCatalog(new PluginSettings(directory, Map.of()), List.of(known))) {
      assertThat(catalog.open("other")).isSameAs(catalog.open("known"));
      assertThat(catalog.open("tck_echo")).isNotSameAs(catalog.open("known"));
      assertThat(catalog.names()).contains("known").doesNotContain("other");
    }
  }

  @Test
  void failsWhenAProviderCannotTellItsAliases() {
    String source = BackendFolder.providerSource("Providerbad", "bad", FINE);
    BackendFolder.of(directory, "bad")
        .withProviderClass(
            "Providerbad",
            source.replace(
                "static int opened;",
                "@Override public java.util.List<String> aliases() { return null; }"));
    try (BackendCatalog catalog = catalog()) {
      assertThat(unavailable(catalog, "bad"))
          .hasMessage("BackendProvider.aliases of made.Providerbad has returned null");
    }
  }

  @Test
  void aFolderOfJarsIsABackend() {
    BackendFolder.of(directory, "one").withProvider("one", FINE);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.names()).contains("one", "tck_echo"); // and those of the class path
      Backend backend = catalog.open("one");
      assertThat(catalog.open("one")).isSameAs(backend);
    }
  }

  @Test
  void findsAProviderOfAModuleDescriptor() {
    BackendFolder.of(directory, "one")
        .withModule("Described", BackendFolder.providerSource("Described", "described", FINE));
    try (BackendCatalog catalog = catalog()) {
      assertThat(loader(catalog, "described").getName()).isEqualTo("backend-one");
    }
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void callsTheProviderMethodOfAModuleDescriptor() {
    String source =
        BackendFolder.providerSource("Made", "made", FINE)
            .replace(
                "static int opened;",
                "static int opened; private Made() {} public static Made provider() { return new"
                    + " Made(); }");
    BackendFolder.of(directory, "one").withModule("Made", source);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.open("made")).isNotNull();
    }
  }

  @Test
  void failsWhenAModuleDescriptorNamesAMissingClass() {
    BackendFolder.of(directory, "bad").withModule("Absent", "package made; class Present {}");
    try (BackendCatalog catalog = catalog()) {
      assertThat(unavailable(catalog, "bad")).hasMessageContaining("made.Absent");
    }
  }

  @Test
  void aBackendOfTheProgramIsUsedInPlaceOfOneThatIsFound() {
    var opened = new AtomicInteger();
    BackendProvider own =
        new BackendProvider() {
          @Override
          public String name() {
            return "tck_echo";
          }

          @Override
          public Backend open(BackendContext context) {
            opened.incrementAndGet();
            return new EchoBackend().open(context);
          }
        };
    try (var catalog = new BackendCatalog(new PluginSettings(directory, Map.of()), List.of(own))) {
      assertThat(catalog.open("tck_echo")).isNotNull();

      assertThat(opened).hasValue(1);
      assertThat(catalog.names()).containsOnlyOnce("tck_echo").contains("tck_add_sub");
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void settingsOfABackendOverrideThoseForAll() {
    BackendFolder.of(directory, "one").withProvider("one", FINE);
    try (var catalog =
        new BackendCatalog(
            new PluginSettings(
                directory,
                Map.of(
                    "",
                    Map.of("a", "all", "b", "all"),
                    "one",
                    Map.of("b", "own"),
                    "tck_echo",
                    Map.of())),
            List.of())) {
      Backend backend = catalog.open("one");

      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> backend.load(new ModelFiles(directory, 1), ModelConfig.of("m", "one")))
          .withMessageContaining("a=all")
          .withMessageContaining("b=own");
    }
  }

  @Test
  void warnsOnceOfOptionsThatABackendHasNotReadWhenItIsOpen() {
    BackendFolder.of(directory, "one")
        .withProvider(
            "one", "context.options().text(\"read\"); context.options().flag(\"on\", true);");
    try (var catalog =
        new BackendCatalog(
            new PluginSettings(
                directory,
                Map.of(
                    "",
                    Map.of("for-all", "1", "on", "true"),
                    "one",
                    Map.of("read", "1", "misspelt", "1", "late", "1"),
                    "tck_echo",
                    Map.of("other", "1"))),
            List.of())) {
      Backend backend = catalog.open("one");
      assertThat(catalog.open("one")).isSameAs(backend);
    }
    assertThat(log.messages())
        .containsExactly(
            "backend 'one' has opened without reading its options [late, misspelt]: are the keys"
                + " right?");
  }

  @Test
  void anOptionOfAnotherTypeIsTheReasonWhyTheBackendDoesNotWork() {
    BackendFolder.of(directory, "one")
        .withProvider("one", "context.options().integer(\"threads\", 1, 1, 8);");
    try (var catalog =
        new BackendCatalog(
            new PluginSettings(directory, Map.of("one", Map.of("threads", "9", "unread", "1"))),
            List.of())) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> catalog.open("one"))
          .withMessage("backend 'one': option 'threads' must be an integer from 1 to 8, got '9'")
          .returns(StatusCode.INVALID_ARGUMENT, InferenceException::code);
    }
    assertThat(log.messages()).hasSize(1);
  }

  /** A library of the JDK under another name: it has no other name to be found by. */
  private static Path library(Path folder, String name) throws IOException {
    Path library = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("prefs"));
    assumeThat(library).exists();
    return Files.copy(library, folder.resolve(System.mapLibraryName(name)));
  }

  @Test
  void aBackendLoadsLibrariesThatLieInItsFolder() throws Exception {
    BackendFolder.of(directory, "one")
        .withProvider(
            "one",
            """
            java.nio.file.Path folder = context.folder().orElseThrow();
            System.load(folder.resolve(System.mapLibraryName("first")).toString());
            System.loadLibrary("second");
            """);
    library(directory.resolve("one"), "first");
    library(directory.resolve("one"), "second");
    Path relative = Path.of("").toAbsolutePath().relativize(directory.toAbsolutePath());
    try (var catalog = new BackendCatalog(new PluginSettings(relative, Map.of()), List.of())) {
      assertThat(catalog.open("one")).isNotNull();
    }
  }

  @Test
  void aBackendOnTheClassPathHasNoFolder() {
    try (BackendCatalog catalog = catalog()) {
      assertThat(ProviderSearch.folder(new EchoBackend())).isEmpty();
      assertThat(catalog.open("tck_echo")).isNotNull();
    }
  }

  @Test
  void theLoggerOfABackendHasItsName() {
    BackendFolder.of(directory, "folder")
        .withProvider(
            "one",
            "context.logger().log(System.Logger.Level.INFO, \"{0} is open\", context.name());");
    try (var lines = new LogCapture("io.nereid.backend.one");
        BackendCatalog catalog = catalog()) {
      assertThat(catalog.open("one")).isNotNull();
      assertThat(lines.messages()).containsExactly("one is open");
    }
  }

  @Test
  void aBackendSeesNoClassOfTheServerExceptTheContract() {
    BackendFolder.of(directory, "nosy")
        .withProvider(
            "nosy",
            """
            for (String name : new String[] {
                "com.google.protobuf.Message", "io.nereid.engine.memory.SlabPool",
                "io.nereid.engine.backend.BackendCatalog", "io.grpc.Server"}) {
              try {
                throw new IllegalStateException("sees " + Class.forName(name));
              } catch (ClassNotFoundException expected) {
                // expected
              }
            }
            if (getClass().getResource("/META-INF/services/java.nio.file.spi.none") != null
                || getClass().getClassLoader().getResource("io/grpc/Server.class") != null) {
              throw new IllegalStateException("sees the server's resources");
            }
            """);
    try (BackendCatalog catalog = catalog()) {
      assertThat(loader(catalog, "nosy").getName()).isEqualTo("backend-nosy");
    }
  }

  @Test
  void twoBackendsDoNotSeeEachOther() {
    BackendFolder.of(directory, "a").withProvider("aa", FINE);
    BackendFolder.of(directory, "b")
        .withProvider(
            "bb",
            """
            try {
              throw new IllegalStateException("sees " + Class.forName("made.Provideraa"));
            } catch (ClassNotFoundException expected) {
              // expected
            }
            """);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.open("aa")).isNotNull();
      assertThat(catalog.open("bb")).isNotNull();
    }
  }

  @Test
  void logsABrokenFolderOnceAndOpensTheOthers() {
    BackendFolder.of(directory, "bad").withBrokenJar();
    BackendFolder.of(directory, "good").withProvider("good", FINE);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.open("good")).isNotNull();
      assertThat(unavailable(catalog, "bad")).hasMessageContaining("made.Missing");
      assertThat(unavailable(catalog, "bad")).hasMessageContaining("made.Missing");
    }
    assertThat(log.messages())
        .hasSize(1)
        .first()
        .asString()
        .startsWith("backend 'bad' is unavailable: ");
  }

  @Test
  void ignoresAFileThatIsNoJar() {
    BackendFolder.of(directory, "text").withFile("text.jar", "this is no zip file");
    BackendFolder.of(directory, "empty").withFile("readme.txt", "");
    try (BackendCatalog catalog = catalog()) {
      assertThat(unavailable(catalog, "text")).hasMessageStartingWith("no jar in ");
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> catalog.open("empty"))
          .returns(StatusCode.INVALID_ARGUMENT, InferenceException::code)
          .withMessageStartingWith("unable to find backend library for backend 'empty', try");
    }
    assertThat(log.messages())
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).startsWith("no jar in backend folder"))
        .anySatisfy(line -> assertThat(line).startsWith("backend 'text' is unavailable"));
  }

  @Test
  void aJarThatLiesBesideTheFoldersIsAHintInTheLogAndAWarningOfDoctor() throws IOException {
    Path jar = Files.writeString(directory.resolve("loose.jar"), "");
    BackendFolder.of(directory, "good").withProvider("good", FINE);
    String hint = "is not read: each backend has a folder of its own in " + directory;
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.names()).contains("good");
      assertThat(log.messages()).containsExactly(jar + " " + hint);
      assertThat(catalog.checkDirectory())
          .containsExactly(
              Check.warning(
                  jar.toString(),
                  hint,
                  "move it, with the jars that it needs, to %s/<name of the backend>"
                      .formatted(directory)));
    }
  }

  @Test
  void aClassThatABackendLacksIsNamedOnOneLine() {
    BackendFolder.of(directory, "lacking")
        .withProvider("lacking", "com.google.protobuf.Any.getDefaultInstance();");
    try (BackendCatalog catalog = catalog()) {
      assertThat(unavailable(catalog, "lacking"))
          .hasMessage(
              "backend 'lacking' cannot be loaded: class com.google.protobuf.Any is missing: add"
                  + " the jar that has it to the backend's folder");
    }
  }

  @Test
  void aCheckFindsClassesThatABackendLacksBeforeTheyAreUsed() {
    BackendFolder.of(directory, "lacking")
        .withProvider(
            "lacking",
            """
            if (opened > 0) {
              com.google.protobuf.Any[] none = {};
              com.google.protobuf.Empty.getDefaultInstance();
            }
            """);
    BackendFolder.of(directory, "whole").withProvider("whole", FINE);
    try (BackendCatalog catalog = catalog()) {
      Map<String, List<Check>> checks = catalog.check();
      assertThat(checks.get("whole")).isEmpty();
      assertThat(checks.get("lacking"))
          .containsExactly(
              Check.warning(
                  "backend",
                  "its jar refers to class com.google.protobuf.Any and 1 more, which no jar of its"
                      + " folder has",
                  "add the jars that it needs to " + directory.resolve("lacking")));
      assertThat(catalog.open("lacking")).isNotNull();
    }
  }

  @Test
  void doesNotRetryABackendThatFailedToOpen() {
    BackendFolder.of(directory, "once")
        .withProvider(
            "once", "if (++opened > 0) { throw new UnsatisfiedLinkError(\"attempt \" + opened); }");
    try (BackendCatalog catalog = catalog()) {
      for (int i = 0; i < 3; i++) {
        assertThat(unavailable(catalog, "once"))
            .hasMessage(
                "backend 'once' cannot be loaded: java.lang.UnsatisfiedLinkError: attempt 1");
      }
    }
    assertThat(log.messages()).hasSize(1);
  }

  @Test
  void takesTheFirstOfTwoBackendsWithOneName() {
    BackendFolder.of(directory, "a").withProvider("same", FINE);
    BackendFolder.of(directory, "b").withProvider("same", FINE);
    try (BackendCatalog catalog = catalog()) {
      assertThat(loader(catalog, "same").getName()).isEqualTo("backend-a");
    }
    assertThat(log.messages())
        .hasSize(1)
        .first()
        .asString()
        .contains("backend 'same' of ")
        .contains("is ignored: there is one of that name already");
  }

  @Test
  void failsWhenAProviderHasNoName() {
    BackendFolder.of(directory, "bad").withProvider("x\" + nameless() + \"", FINE + NAMELESS);
    BackendFolder.of(directory, "good").withProvider("good", FINE);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.open("good")).isNotNull();
      assertThat(unavailable(catalog, "bad")).hasMessageContaining("no name");
    }
  }

  @Test
  void failsWhenTheNameOfAProviderIsNull() {
    String source = BackendFolder.providerSource("Providernull", "none", FINE);
    BackendFolder.of(directory, "bad")
        .withProviderClass("Providernull", source.replace("return \"none\"", "return null"));
    try (BackendCatalog catalog = catalog()) {
      assertThat(unavailable(catalog, "bad"))
          .hasMessage("BackendProvider.name of made.Providernull has returned null");
    }
  }

  @Test
  void aProviderThatDoesNotTellWhetherItSharesMemoryIsPassedOver() {
    BackendFolder.of(directory, "one").withProvider("one", UNTOLD_SHARING);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.openSharedMemory(0, new byte[64], 8)).isEmpty();
    }
    assertThat(log.messages())
        .contains("BackendProvider.sharesDeviceMemory of backend 'one' failed");
  }

  /** Ends {@code open} and begins another method. */
  private static final String UNTOLD_SHARING =
      """
      return null;
      }
      @Override public boolean sharesDeviceMemory() { throw new LinkageError("of a test"); }
      io.nereid.spi.Backend other(io.nereid.spi.BackendContext context) {
      """;

  /** Ends {@code open} and begins another method. */
  private static final String NAMELESS =
      """
      return null;
      }
      static String nameless() {
        if (true) { throw new IllegalStateException("no name"); }
        return "";
      }
      io.nereid.spi.Backend other(io.nereid.spi.BackendContext context) {
      """;

  @Test
  void findsNothingInAMissingDirectory() {
    try (var catalog =
        new BackendCatalog(new PluginSettings(directory.resolve("none"), Map.of()), List.of())) {
      assertThat(catalog.names()).contains("tck_echo");
    }
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void checksEachBackendAndReportsThoseThatCannotBeLoaded() {
    BackendFolder.of(directory, "one").withProvider("one", FINE);
    BackendFolder.of(directory, "bad").withModule("Absent", "package made; class Present {}");
    try (BackendCatalog catalog = catalog()) {
      Map<String, List<Check>> checks = catalog.check();

      assertThat(checks.get("one")).isEmpty();
      assertThat(checks.get("bad"))
          .singleElement()
          .satisfies(check -> {
            assertThat(check.level()).isEqualTo(Check.Level.PROBLEM);
            assertThat(check.finding()).contains("made.Absent");
          });
    }
  }

  @Test
  void aBackendWhoseCheckDoesNotReturnIsUnavailable() {
    BackendFolder.of(directory, "hangs").withProvider("hangs", HANGING_CHECK);
    try (BackendCatalog catalog = catalog()) {
      assertThat(catalog.check(Duration.ofMillis(1)).get("hangs"))
          .singleElement()
          .satisfies(check -> {
            assertThat(check.level()).isEqualTo(Check.Level.UNAVAILABLE);
            assertThat(check.finding()).isEqualTo("has not answered within 0 s");
          });
    }
  }

  /** Ends {@code open}, and checks until it is interrupted. */
  private static final String HANGING_CHECK =
      """
      return null;
      }
      @Override public java.util.List<io.nereid.spi.Check> check(
          io.nereid.spi.BackendContext context) {
        while (!Thread.interrupted()) { java.util.concurrent.locks.LockSupport.park(); }
        return java.util.List.of();
      }
      io.nereid.spi.Backend other(io.nereid.spi.BackendContext context) {
      """;
}
