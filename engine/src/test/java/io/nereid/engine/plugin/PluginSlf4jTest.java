package io.nereid.engine.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.testing.LogCapture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/** SLF4J in the jars of a backend, which the server's own class path does not concern. */
class PluginSlf4jTest {
  private static final String OWN = "nereid.test.own-provider";

  private static final String BACKEND =
      """
      package made;

      import io.nereid.spi.*;
      import org.slf4j.Logger;
      import org.slf4j.LoggerFactory;

      public final class Talker implements BackendProvider {
        @Override public String name() { return "talker"; }
        @Override public Backend open(BackendContext context) {
          Logger log = LoggerFactory.getLogger(Talker.class);
          if (log.getClass().getClassLoader() != Talker.class.getClassLoader()) {
            throw new IllegalStateException("not by the jars of the backend");
          }
          log.info("{} threads and a {brace}", 4);
          log.atWarn().addArgument("fluent").log("a {} line");
          log.error("failed", new IllegalStateException("of a test"));
          log.debug("not shown");
          throw new IllegalStateException("has logged");
        }
      }
      """;

  private static final String PROVIDER =
      """
      package made;

      import org.slf4j.*;
      import org.slf4j.helpers.*;

      public final class Own implements org.slf4j.spi.SLF4JServiceProvider {
        @Override public ILoggerFactory getLoggerFactory() {
          System.setProperty("nereid.test.own-provider", "asked");
          return new NOPLoggerFactory() {
            @Override public Logger getLogger(String name) {
              return new NOPLogger() {};
            }
          };
        }
        @Override public IMarkerFactory getMarkerFactory() { return new BasicMarkerFactory(); }
        @Override public org.slf4j.spi.MDCAdapter getMDCAdapter() { return new NOPMDCAdapter(); }
        @Override public String getRequestedApiVersion() { return "2.0.99"; }
        @Override public void initialize() {}
      }
      """;

  @TempDir private Path directory;

  @AfterEach
  void clear() {
    System.clearProperty(OWN);
  }

  private BackendFolder backend() throws Exception {
    BackendFolder folder =
        BackendFolder.of(directory, "talker").withProviderClass("Talker", BACKEND);
    Path api =
        Path.of(LoggerFactory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Files.copy(api, folder.path().resolve("slf4j-api.jar"));
    return folder;
  }

  private LogCapture open() {
    var log = new LogCapture("made");
    try (log;
        var catalog = new BackendCatalog(new PluginSettings(directory, Map.of()), List.of())) {
      assertThat(failure(catalog)).endsWith("has logged");
    }
    return log;
  }

  private static String failure(BackendCatalog catalog) {
    try {
      return "opened " + catalog.open("talker");
    } catch (RuntimeException expected) {
      return String.valueOf(expected.getMessage());
    }
  }

  @Test
  void withoutAProviderItsLinesAreThoseOfTheSystemLogger() throws Exception {
    var _ = backend();

    LogCapture log = open();

    assertThat(log.messages())
        .containsExactly("4 threads and a {brace}", "a fluent line", "failed");
    assertThat(log.records())
        .extracting(LogRecord::getLevel)
        .containsExactly(Level.INFO, Level.WARNING, Level.SEVERE);
    assertThat(log.records().getLast().getThrown()).hasMessage("of a test");
    assertThat(log.records()).extracting(LogRecord::getLoggerName).containsOnly("made.Talker");
  }

  @Test
  void aProviderInTheJarsOfTheBackendIsUsedInstead() throws Exception {
    var _ = backend().withProviderClass(SLF4JServiceProvider.class, "Own", PROVIDER);

    assertThat(open().messages()).isEmpty();

    assertThat(System.getProperty(OWN)).isEqualTo("asked");
  }
}
