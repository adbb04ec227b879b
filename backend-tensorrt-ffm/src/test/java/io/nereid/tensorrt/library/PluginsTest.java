package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins of fake libraries. */
class PluginsTest {
  private static final Logger LOGGER = Logger.getLogger(Plugins.class.getName());

  @TempDir private Path folder = Path.of("");
  private final List<String> log = new ArrayList<>();

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          log.add(record.getLevel() + ": " + new SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void record() {
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void stopRecording() {
    LOGGER.removeHandler(handler);
  }

  /** A plugin library whose function counts its calls if the arguments are right. */
  private NativeLibrary pluginLibrary(boolean answer) throws LibraryLoadException {
    Path file =
        FakeLibraries.compile(
            folder.resolve("libplugin" + answer + ".so"),
            """
            #include <stdbool.h>
            #include <string.h>
            int calls = 0;
            bool initLibNvInferPlugins(void *logger, const char *space) {
              calls += logger == (void *)4711 && strcmp(space, "") == 0;
              return %b;
            }
            """
                .formatted(answer));
    return new DynamicLinker().open(file.toString());
  }

  private static GpuSupport.OptionalLibrary found(NativeLibrary library) {
    return new GpuSupport.OptionalLibrary(Optional.of(library), Optional.empty());
  }

  @Test
  void registersThePluginsOfTensorRtWithTheLogger() throws Exception {
    NativeLibrary library = pluginLibrary(true);

    Plugins.register(found(library), MemorySegment.ofAddress(4711));

    MemorySegment calls = library.symbols().findOrThrow("calls").reinterpret(JAVA_INT.byteSize());
    assertThat(calls.get(JAVA_INT, 0)).isOne();
    assertThat(log).isEmpty();
  }

  @Test
  void logsThatPluginsCannotBeRegistered() throws Exception {
    NativeLibrary library = pluginLibrary(false);

    Plugins.register(found(library), MemorySegment.ofAddress(4711));

    assertThat(log)
        .containsExactly(
            "SEVERE: the plugins of %s cannot be registered".formatted(library.path()));
  }

  @Test
  void doesNothingWithoutAPluginLibrary() {
    var missing = new GpuSupport.OptionalLibrary(Optional.empty(), Optional.of(new Lack("a", "b")));

    Plugins.register(missing, MemorySegment.NULL);

    assertThat(log).isEmpty();
  }

  @Test
  void opensTheLibrariesOfTheOperatorAndLogsThoseThatCannotBeOpened() {
    Path good = FakeLibraries.compileEmpty(folder.resolve("libgood.so"));
    Path bad = FakeLibraries.writeText(folder.resolve("libbad.so"));

    Plugins.open(List.of(bad.toString(), good.toString()));

    assertThat(log)
        .containsExactly(
            "SEVERE: plugin library '%1$s' cannot be opened: %1$s: invalid ELF header"
                .formatted(bad),
            "INFO: plugin library " + good);
  }
}
