package io.nereid.tensorrt.library;

import io.nereid.spi.TypedOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

/** A machine of fake libraries in a temporary directory. */
abstract class LibrariesUnderTest {
  @TempDir Path root = Path.of("");
  final Map<String, String> options = new HashMap<>();
  final Map<String, String> variables = new HashMap<>();
  String os = "Linux";
  String architecture = "amd64";

  /** The folder that this machine's loader searches. */
  Path loaderFolder() {
    return root.resolve("loader");
  }

  GpuSupport probe() {
    var environment =
        new LibraryEnvironment(
            os, architecture, variables, root, Optional.of(root.resolve("backend/backend.jar")));
    var linker = new DynamicLinker();
    LibraryLoader loader =
        file -> {
          if (file.contains("/")) {
            return linker.open(file);
          }
          Path inFolder = loaderFolder().resolve(file);
          if (!Files.exists(inFolder)) {
            throw LibraryLoadException.of(
                file, file + ": cannot open shared object file: No such file or directory");
          }
          return linker.open(inFolder.toString());
        };
    return new NativeLibraries(environment, loader, TypedOptions.of("backend 'tensorrt'", options))
        .probe();
  }

  String reason() {
    return switch (probe()) {
      case GpuSupport.Unavailable lacking -> lacking.reason();
      case GpuSupport.Available available -> throw new AssertionError(available);
    };
  }

  GpuSupport.Available available() {
    return switch (probe()) {
      case GpuSupport.Unavailable lacking -> throw new AssertionError(lacking.reason());
      case GpuSupport.Available available -> available;
    };
  }
}
