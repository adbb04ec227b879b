package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.engine.CapturedLog;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins of fake libraries. */
class PluginsTest {
  @TempDir private Path folder = Path.of("");
  private final CapturedLog log = CapturedLog.of(Plugins.class.getName());

  @AfterEach
  void stopCapturing() {
    log.close();
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
    assertThat(log.lines()).filteredOn(line -> !line.startsWith("FINE ")).isEmpty();
  }

  @Test
  void logsThatPluginsCannotBeRegistered() throws Exception {
    NativeLibrary library = pluginLibrary(false);

    Plugins.register(found(library), MemorySegment.ofAddress(4711));

    assertThat(log.lines())
        .containsExactly("SEVERE the plugins of %s cannot be registered".formatted(library.path()));
  }

  @Test
  void doesNothingWithoutAPluginLibrary() {
    var missing = new GpuSupport.OptionalLibrary(Optional.empty(), Optional.of(new Lack("a", "b")));

    Plugins.register(missing, MemorySegment.NULL);

    assertThat(log.lines()).filteredOn(line -> !line.startsWith("FINE ")).isEmpty();
  }

  @Test
  void opensTheLibrariesOfTheOperatorAndLogsThoseThatCannotBeOpened() {
    Path good = FakeLibraries.compileEmpty(folder.resolve("libgood.so"));
    Path bad = FakeLibraries.writeText(folder.resolve("libbad.so"));

    Plugins.open(List.of(bad.toString(), good.toString()));

    assertThat(log.lines())
        .containsExactly(
            "SEVERE plugin library '%1$s' cannot be opened: %1$s: invalid ELF header"
                .formatted(bad),
            "INFO plugin library " + good);
  }
}
