package io.nereid.java.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * The files of a version's folder. Jars are those in the folder itself; classes, resources and
 * sources also lie in folders of their packages. Names that begin with a dot are left out.
 *
 * @param folder absolute
 * @param sources files that end with {@code .java}, sorted
 * @param jars files that end with {@code .jar}, sorted
 * @param others all other files, sorted
 */
public record VersionCode(Path folder, List<Path> sources, List<Path> jars, List<Path> others) {
  /** The most bytes of classes and resources of a version, unpacked. */
  static final long MAX_BYTES = 512L << 20;

  private static final int MAX_DEPTH = 32;

  public VersionCode {
    sources = List.copyOf(sources);
    jars = List.copyOf(jars);
    others = List.copyOf(others);
  }

  /**
   * Lists a folder, or takes one file.
   *
   * @param place a folder, a jar or a source; must exist
   */
  public static VersionCode of(Path place) throws IOException {
    Path absolute = place.toAbsolutePath().normalize();
    List<Path> sources = new ArrayList<>();
    List<Path> jars = new ArrayList<>();
    List<Path> others = new ArrayList<>();
    boolean isFile = Files.isRegularFile(absolute);
    Path folder = isFile ? absolute.resolveSibling("").normalize() : absolute;
    for (Path file : isFile ? List.of(absolute) : files(absolute)) {
      String name = file.getFileName().toString();
      if (name.endsWith(".java")) {
        sources.add(file);
      } else if (name.endsWith(".jar") && folder.equals(file.getParent())) {
        jars.add(file);
      } else {
        others.add(file);
      }
    }
    return new VersionCode(folder, sources, jars, others);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder, MAX_DEPTH, FileVisitOption.FOLLOW_LINKS)) {
      return all.filter(file -> Files.isRegularFile(file) && !isHidden(folder.relativize(file)))
          .sorted(Comparator.naturalOrder())
          .toList();
    } catch (UncheckedIOException failed) { // within the stream
      throw failed.getCause();
    }
  }

  private static boolean isHidden(Path relative) {
    for (Path name : relative) {
      if (name.toString().startsWith(".")) {
        return true;
      }
    }
    return false;
  }

  /** Whether there is neither source nor class nor jar. */
  public boolean isEmpty() {
    return sources.isEmpty()
        && jars.isEmpty()
        && others.stream().noneMatch(file -> file.toString().endsWith(".class"));
  }

  /**
   * Reads classes and resources into memory, so that files may change while the version is loaded.
   * Sources are not compiled.
   *
   * @return by name, such as {@code com/acme/Model.class}; first the files of the folder, then
   *     those of the jars, in order
   * @throws IOException if a file cannot be read, or all together are too large
   */
  Map<String, List<byte[]>> read() throws IOException {
    var reader = new Reader();
    for (Path file : others) {
      String name = folder.relativize(file).toString().replace('\\', '/');
      try (InputStream in = Files.newInputStream(file)) {
        reader.add(name, in);
      }
    }
    for (Path jar : jars) {
      reader.addAll(jar);
    }
    return reader.entries;
  }

  private static final class Reader {
    final Map<String, List<byte[]>> entries = new LinkedHashMap<>();
    private long left = MAX_BYTES;

    void addAll(Path path) throws IOException {
      try (var jar =
          new JarFile(path.toFile(), false, ZipFile.OPEN_READ, JarFile.runtimeVersion())) {
        for (JarEntry entry : jar.versionedStream().filter(each -> !each.isDirectory()).toList()) {
          try (InputStream in = jar.getInputStream(entry)) {
            add(entry.getName(), in);
          }
        }
      } catch (IOException unreadable) {
        throw new IOException(
            "%s: %s".formatted(path.getFileName(), unreadable.getMessage()), unreadable);
      }
    }

    void add(String name, InputStream in) throws IOException {
      byte[] bytes = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, left + 1));
      left -= bytes.length;
      if (left < 0) {
        throw new IOException(
            "classes and resources have more than %d MiB".formatted(MAX_BYTES >> 20));
      }
      entries.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(bytes);
    }
  }
}
