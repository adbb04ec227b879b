package io.nereid.tools.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Reads the arrays of {@code numpy.savez}, a zip of {@code .npy} files, or the one of {@code
 * numpy.save}.
 */
final class NpzFile {
  private static final String NPY = ".npy";

  private NpzFile() {}

  /**
   * The arrays by name; that of a {@code .npy} file has the name {@code ""}.
   *
   * @throws DataException if the file is broken, or has no array
   * @throws IOException if it cannot be read
   */
  static Map<String, NpyArray> read(Path file) throws IOException {
    if (file.toString().endsWith(NPY)) {
      return Map.of("", NpyArray.read("'%s'".formatted(file), Files.readAllBytes(file)));
    }
    Map<String, NpyArray> arrays = new LinkedHashMap<>();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
        ZipEntry entry = entries.nextElement();
        if (entry.getName().endsWith(NPY)) {
          String name = entry.getName().substring(0, entry.getName().length() - NPY.length());
          try (InputStream in = zip.getInputStream(entry)) {
            arrays.put(name, NpyArray.read(named(file, name), in.readAllBytes()));
          }
        }
      }
    } catch (ZipException broken) {
      throw new DataException("'%s' is no .npz: %s".formatted(file, broken.getMessage()));
    }
    if (arrays.isEmpty()) {
      throw new DataException("'%s' is a zip without an array (.npy)".formatted(file));
    }
    return arrays;
  }

  /** An array, for messages. */
  static String named(Path file, String name) {
    return name.isEmpty() ? "'%s'".formatted(file) : "array '%s' of '%s'".formatted(name, file);
  }
}
