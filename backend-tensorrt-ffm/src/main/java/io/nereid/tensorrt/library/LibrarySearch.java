package io.nereid.tensorrt.library;

import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.library.GpuSupport.OptionalLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The search for one library, in this order:
 *
 * <ol>
 *   <li>the file that a backend option names; then nothing else is tried;
 *   <li>the system's loader, with each name of the library;
 *   <li>the folders of {@link LibraryEnvironment#folders}.
 * </ol>
 *
 * <p>A library that exists and cannot be opened does not end the search, but is reported if no
 * other is found.
 */
final class LibrarySearch {
  private final LibraryEnvironment environment;
  private final LibraryLoader loader;
  private final TypedOptions options;

  /**
   * @param options of the backend
   */
  LibrarySearch(LibraryEnvironment environment, LibraryLoader loader, TypedOptions options) {
    this.environment = environment;
    this.loader = loader;
    this.options = options;
  }

  OptionalLibrary find(LibraryKind kind) {
    return find(kind, kind.names(), List.of());
  }

  /**
   * Finds a library of the same release as another one.
   *
   * @param neighbour the file of the other library, whose folder is searched first
   */
  OptionalLibrary find(LibraryKind kind, int major, Path neighbour) {
    return find(kind, kind.names(major), List.of(neighbour.resolveSibling("")));
  }

  private OptionalLibrary find(LibraryKind kind, List<String> names, List<Path> firstFolders) {
    Optional<String> configured = options.text(kind.option());
    if (configured.isPresent()) {
      return open(kind, configured.get());
    }
    List<Path> folders = environment.folders(kind);
    List<LibraryLoadException> unusable = new ArrayList<>();
    for (String file : candidates(names, firstFolders, folders)) {
      try {
        return OptionalLibrary.of(loader.open(file));
      } catch (LibraryLoadException failure) {
        if (!failure.isAbsent()) {
          unusable.add(failure);
        }
      }
    }
    if (!unusable.isEmpty()) {
      return OptionalLibrary.missing(unusable(kind, unusable.getFirst()));
    }
    String tried =
        String.join(
            ", ", Stream.concat(names.stream(), folders.stream().map(Path::toString)).toList());
    return OptionalLibrary.missing(
        new Lack(
            "%s not found (tried %s)".formatted(kind.description(), tried),
            "install it or set " + kind.setting()));
  }

  /** Files in the order of the search; those with a slash exist. */
  private static Set<String> candidates(
      List<String> names, List<Path> firstFolders, List<Path> folders) {
    Set<String> files = new LinkedHashSet<>();
    files.addAll(in(firstFolders, names));
    files.addAll(names);
    files.addAll(in(folders, names));
    return files;
  }

  private static List<String> in(List<Path> folders, List<String> names) {
    return folders.stream()
        .flatMap(folder -> names.stream().map(folder::resolve))
        .filter(Files::exists)
        .map(Path::toString)
        .toList();
  }

  private OptionalLibrary open(LibraryKind kind, String configured) {
    // Without a slash dlopen would search for it.
    String file = Path.of(configured).toAbsolutePath().toString();
    try {
      return OptionalLibrary.of(loader.open(file));
    } catch (LibraryLoadException failure) {
      return OptionalLibrary.missing(
          failure.isAbsent()
              ? new Lack(
                  "%s not found (tried %s)".formatted(kind.description(), file),
                  "correct --backend-config=tensorrt,%s".formatted(kind.option()))
              : unusable(kind, failure));
    }
  }

  private static Lack unusable(LibraryKind kind, LibraryLoadException failure) {
    return new Lack(
        "%s cannot be opened: %s".formatted(kind.description(), failure.getMessage()),
        "install one that fits this machine or set " + kind.setting());
  }
}
