package io.nereid.server.http;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.BufferPool;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/** A reader of request bodies that decodes gzip and deflate (the zlib format). */
final class BodyDecoder {
  private final long maxByteSize;

  /**
   * @param maxByteSize the limit of a decompressed body
   */
  BodyDecoder(long maxByteSize) {
    this.maxByteSize = maxByteSize;
  }

  /** Reads and decompresses a body as {@link RequestBody#read} does. */
  RequestBody read(
      ServerRequest request, ServerResponse response, int headLength, BufferPool pool) {
    if (!request.headers().contains(HeaderNames.CONTENT_ENCODING)) {
      return RequestBody.read(request, headLength, pool);
    }
    String encoding = request.headers().get(HeaderNames.CONTENT_ENCODING).get();
    return switch (encoding) {
      case "", "identity" -> RequestBody.read(request, headLength, pool);
      case "gzip", "deflate" -> decompress(encoding, request, headLength, pool);
      default -> {
        response.header("Accept-Encoding", "gzip, deflate");
        throw InferenceException.unsupported("Unsupported compression type");
      }
    };
  }

  private RequestBody decompress(
      String encoding, ServerRequest request, int headLength, BufferPool pool) {
    if (!request.content().hasEntity()) {
      throw InferenceException.invalid("nothing to be decompressed");
    }
    InputStream compressed = request.content().inputStream();
    int padding = RequestBody.padding(headLength);
    try (InputStream stream =
        new Limited(
            encoding.equals("gzip")
                ? new GZIPInputStream(compressed)
                : new InflaterInputStream(compressed))) {
      return RequestBody.readStream(stream, OptionalLong.empty(), padding, pool);
    } catch (ZipException | EOFException corrupt) {
      throw InferenceException.invalid(
          "request body is not valid %s data: %s"
              .formatted(
                  encoding, corrupt.getMessage() == null ? "it ends early" : corrupt.getMessage()));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** A stream that fails beyond the limit, so that a small body cannot exhaust the memory. */
  private final class Limited extends FilterInputStream {
    private long count;

    Limited(InputStream stream) {
      super(stream);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      count += Math.max(read, 0);
      if (count > maxByteSize) {
        throw InferenceException.invalid(
            ("Decompressed data size exceeds the maximum allowed value of %d bytes. Use"
                    + " --http-max-input-size to increase the limit.")
                .formatted(maxByteSize));
      }
      return read;
    }
  }
}
