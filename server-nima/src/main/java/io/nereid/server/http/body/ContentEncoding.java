package io.nereid.server.http.body;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** The compression of a body. */
public enum ContentEncoding {
  IDENTITY,
  GZIP,
  DEFLATE;

  /** The name in headers. */
  public String token() {
    return switch (this) {
      case IDENTITY -> "identity";
      case GZIP -> "gzip";
      case DEFLATE -> "deflate";
    };
  }

  /**
   * Returns the encoding of a response: that with the highest weight, the first among equals.
   * Ignores unknown encodings and those of weight 0; if no other is accepted, the response is not
   * compressed.
   *
   * @param accepted the header's value, such as {@code deflate;q=0.5, gzip}
   */
  public static ContentEncoding choose(String accepted) {
    ContentEncoding best = IDENTITY;
    double bestWeight = 0;
    for (String entry : accepted.split(",", -1)) {
      String[] parts = entry.stripLeading().split(";q=", 2);
      double weight = parts.length == 1 ? 1 : weight(parts[1]);
      if (weight > bestWeight) {
        for (ContentEncoding encoding : values()) {
          if (encoding.token().equals(parts[0])) {
            best = encoding;
            bestWeight = weight;
          }
        }
      }
    }
    return best;
  }

  private static double weight(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }

  /** Compresses the first {@code length} bytes; not for {@link #IDENTITY}. */
  public byte[] compress(byte[] bytes, int length) {
    var compressed = new ByteArrayOutputStream(length / 2);
    try (OutputStream stream = compressing(compressed)) {
      stream.write(bytes, 0, length);
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to an array", impossible);
    }
    return compressed.toByteArray();
  }

  /** A stream that compresses what is written to it; not for {@link #IDENTITY}. */
  OutputStream compressing(OutputStream target) throws IOException {
    return this == GZIP ? new GZIPOutputStream(target) : new DeflaterOutputStream(target);
  }
}
