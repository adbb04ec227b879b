package io.nereid.client.rest;

import io.nereid.client.Sentences;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpHeaders;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A whole response.
 *
 * @param bytes those of the body come first
 * @param length of the body
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpBody(int status, HttpHeaders headers, byte[] bytes, int length) {
  /** The first value of a header; null if there is none. */
  @Nullable String header(String name) {
    return headers.firstValue(name).orElse(null);
  }

  /** The same, decompressed if it is compressed. */
  HttpBody plain(int limit) throws IOException {
    String encoding = Objects.requireNonNullElse(header("content-encoding"), "identity");
    return switch (encoding) {
      case "identity" -> this;
      case "gzip" -> {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes, 0, length))) {
          byte[] plain = in.readNBytes(limit);
          if (in.read() >= 0) {
            throw new ProtocolException(Sentences.tooLong(limit));
          }
          yield new HttpBody(status, headers, plain, plain.length);
        }
      }
      default ->
          throw new ProtocolException(
              "the response cannot be decompressed: it has the encoding '%s'".formatted(encoding));
    };
  }
}
