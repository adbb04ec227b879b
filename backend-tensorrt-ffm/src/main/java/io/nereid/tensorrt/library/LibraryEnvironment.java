package io.nereid.tensorrt.library;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a search for libraries sees of the machine.
 *
 * @param os the system property {@code os.name}
 * @param architecture the system property {@code os.arch}
 * @param variables the environment variables
 * @param root the root of the file system, below which toolkits and packages are installed
 * @param jar the jar or folder of this backend's classes, if known
 */
record LibraryEnvironment(
    String os, String architecture, Map<String, String> variables, Path root, Optional<Path> jar) {
  private static final System.Logger LOG = System.getLogger(LibraryEnvironment.class.getName());

  LibraryEnvironment {
    variables = Map.copyOf(variables);
  }

  /** This process. */
  static LibraryEnvironment current() {
    return new LibraryEnvironment(
        System.getProperty("os.name", ""),
        System.getProperty("os.arch", ""),
        System.getenv(),
        Path.of("/"),
        ourJar());
  }

  private static Optional<Path> ourJar() {
    CodeSource source = LibraryEnvironment.class.getProtectionDomain().getCodeSource();
    if (source == null || !"file".equals(source.getLocation().getProtocol())) {
      return Optional.empty();
    }
    URL location = source.getLocation();
    try {
      return Optional.of(Path.of(location.toURI()));
    } catch (URISyntaxException malformed) {
      throw new IllegalStateException(location + " is no URI", malformed);
    }
  }

  /**
   * The folders in which a library may be, in the order of the search, as far as they exist: of a
   * toolkit, of Python packages, and the folder {@code native} beside the jar.
   */
  List<Path> folders(LibraryKind kind) {
    Set<Path> folders = new LinkedHashSet<>();
    switch (kind) {
      case CUDART -> {
        addHome(folders, "CUDA_HOME");
        addHome(folders, "CUDA_PATH");
        addMatching(folders, root.resolve("usr/local"), "cuda*", "lib64");
      }
      case NVINFER, ONNX_PARSER, PLUGINS -> addHome(folders, "TENSORRT_HOME");
    }
    addHome(folders, "CONDA_PREFIX");
    for (Path packages : pythonPackages()) {
      kind.wheelFolders().forEach(folder -> folders.add(packages.resolve(folder)));
    }
    jar.map(file -> file.resolveSibling("native")).ifPresent(folders::add);
    return folders.stream().filter(Files::isDirectory).toList();
  }

  private void addHome(Set<Path> folders, String variable) {
    String home = variables.getOrDefault(variable, "");
    if (!home.isEmpty()) {
      folders.add(Path.of(home, "lib64"));
      folders.add(Path.of(home, "lib"));
    }
  }

  /** The folders into which {@code pip} installs: of active environments, the user, the system. */
  private Set<Path> pythonPackages() {
    Set<Path> packages = new LinkedHashSet<>();
    for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      String home = variables.getOrDefault(variable, "");
      if (!home.isEmpty()) {
        addPackages(packages, Path.of(home, "lib"));
      }
    }
    String user = variables.getOrDefault("HOME", "");
    if (!user.isEmpty()) {
      addPackages(packages, Path.of(user, ".local", "lib"));
    }
    addPackages(packages, root.resolve("usr/local/lib"));
    addPackages(packages, root.resolve("usr/lib"));
    return packages;
  }

  private static void addPackages(Set<Path> packages, Path lib) {
    addMatching(packages, lib, "python3*", "site-packages");
    addMatching(packages, lib, "python3*", "dist-packages");
  }

  /** Adds {@code <parent>/<a folder that matches>/<child>}, higher names first. */
  private static void addMatching(Set<Path> folders, Path parent, String pattern, String child) {
    if (!Files.isDirectory(parent)) {
      return;
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> matching = Files.newDirectoryStream(parent, pattern)) {
      matching.forEach(folder -> found.add(folder.resolve(child)));
    } catch (IOException unreadable) {
      LOG.log(System.Logger.Level.DEBUG, "cannot list " + parent, unreadable);
    }
    found.sort(Comparator.reverseOrder());
    folders.addAll(found);
  }
}
