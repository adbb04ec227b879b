package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tck.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Exchanges kept as bytes: a folder each, with {@code request.http} as it goes over the wire,
 * {@code response.http} with the headers that matter, and {@code origin.txt}. {@code index.tsv}
 * lists the folders.
 */
public final class GoldenVectors {
  private GoldenVectors() {}

  /**
   * One exchange.
   *
   * @param origin where the bytes come from
   */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  public record Vector(String name, byte[] request, byte[] response, String origin) {}

  /** All of them, in the index's order. */
  public static List<Vector> load() {
    return new String(read("index.tsv"), UTF_8).lines().map(GoldenVectors::vector).toList();
  }

  private static Vector vector(String name) {
    return new Vector(
        name,
        read(name + "/request.http"),
        read(name + "/response.http"),
        new String(read(name + "/origin.txt"), UTF_8).strip());
  }

  private static byte[] read(String name) {
    try (InputStream in = Rule.class.getResourceAsStream("golden/" + name)) {
      if (in == null) {
        throw new IllegalStateException("resource golden/" + name + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
