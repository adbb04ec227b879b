package io.nereid.server.http;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.http.media.ReadableEntity;
import io.helidon.webserver.http.ServerRequest;
import io.nereid.error.InferenceException;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * A request's body in pooled memory. The byte after its JSON head is aligned, so that the first
 * binary tensor can be used in place.
 *
 * @param lease owned; padding may precede the body
 * @param segment the body
 */
record RequestBody(Lease lease, MemorySegment segment) implements Lease {
  private static final int CHUNK = 16 << 10;

  /** The least length of bodies that are read past Helidon. */
  private static final int DIRECT = 16 << 10;

  /**
   * Reads the whole body.
   *
   * @param headLength bytes of JSON before the binary tensors; 0 if unknown
   */
  static RequestBody read(ServerRequest request, int headLength, BufferPool pool) {
    OptionalLong length = request.headers().contentLength();
    if (!request.content().hasEntity()) {
      Lease lease = pool.lease(0);
      return new RequestBody(lease, lease.segment());
    }
    if (length.orElse(0) > Integer.MAX_VALUE) {
      throw InferenceException.invalid(
          "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ], got: "
              + length.getAsLong());
    }
    int padding = padding(headLength);
    try {
      if (DirectSocket.CURRENT.isBound() && length.orElse(0) >= DIRECT) {
        return readDirectly(request.content(), length.getAsLong(), padding, pool);
      }
      return readStream(request.content().inputStream(), length, padding, pool);
    } catch (EOFException | DataReader.InsufficientDataAvailableException early) {
      throw InferenceException.invalid("the request body ends early");
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static RequestBody readDirectly(
      ReadableEntity content, long length, int padding, BufferPool pool) throws IOException {
    Lease lease = pool.lease(leased(padding, length));
    try {
      MemorySegment body = lease.segment().asSlice(padding, length);
      DirectSocket.CURRENT.get().read(content, body);
      return new RequestBody(lease, body);
    } catch (IOException | RuntimeException | Error broken) {
      lease.close();
      throw broken;
    }
  }

  /** The padding before a body that aligns the byte after its head. */
  static int padding(int headLength) {
    return -headLength & (int) (BufferPool.ALIGNMENT - 1);
  }

  /** The sum, or {@code Long.MAX_VALUE} on overflow, which the pool rejects. */
  private static long leased(int padding, long length) {
    return length > Long.MAX_VALUE - padding ? Long.MAX_VALUE : padding + length;
  }

  /** Reads a stream to its end, after {@code padding} bytes. */
  static RequestBody readStream(
      InputStream stream, OptionalLong length, int padding, BufferPool pool) throws IOException {
    long expected = length.orElse(CHUNK);
    Lease lease = pool.lease(leased(padding, expected));
    try {
      byte[] chunk = new byte[(int) Math.min(Math.max(expected, 1), CHUNK)];
      long filled = 0;
      while (true) {
        int count = stream.read(chunk, 0, chunk.length);
        if (count < 0) {
          break;
        }
        if (padding + filled + count > lease.segment().byteSize()) {
          lease = grow(lease, padding + filled, padding + filled + count, pool);
        }
        MemorySegment.copy(
            MemorySegment.ofArray(chunk), 0, lease.segment(), padding + filled, count);
        filled += count;
        if (filled == expected && length.isPresent()) {
          break;
        }
      }
      if (length.isPresent() && filled < expected) {
        throw InferenceException.invalid(
            "request body ends after %d of %d bytes".formatted(filled, expected));
      }
      return new RequestBody(lease, lease.segment().asSlice(padding, filled));
    } catch (NumberFormatException malformed) { // Helidon parses chunk extensions as digits
      lease.close();
      throw RequestException.builder()
          .type(DirectHandler.EventType.BAD_REQUEST)
          .message("malformed chunk size in the request body: " + malformed.getMessage())
          .cause(malformed)
          .build();
    } catch (IOException | RuntimeException | Error broken) {
      lease.close();
      throw broken;
    }
  }

  /** Returns a lease of at least twice the size with the same content; takes the old one. */
  private static Lease grow(Lease lease, long filled, long needed, BufferPool pool) {
    Lease larger = pool.lease(Math.max(needed, 2 * lease.segment().byteSize()));
    MemorySegment.copy(lease.segment(), 0, larger.segment(), 0, filled);
    lease.close();
    return larger;
  }

  @Override
  public void close() {
    lease.close();
  }
}
