package io.nereid.server.http.body;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.GrowingLease;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.GzipStream;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.codec.json.RawRequestReader;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.RequestBody;
import io.nereid.tensor.Elements;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * A reader of request bodies into pooled memory, which decodes gzip and deflate (the zlib format);
 * each also where the header says the other, as Triton does. Memory is leased for bytes that have
 * come, and sizes are checked while a body is read. The byte behind the JSON is aligned, so that
 * the first binary tensor can be used in place.
 */
public final class BodyDecoder {
  private static final int CHUNK = 16 << 10;

  /** The first bytes of gzip (RFC 1952), and the method of zlib's first byte (RFC 1950). */
  private static final int GZIP_MAGIC = 0x1F8B;

  private static final int DEFLATE = 8;

  /** The largest body with binary tensors: Triton's lengths are ints. */
  private static final long MAX_BODY = Integer.MAX_VALUE;

  private final long maxInputSize;

  /** Whether the limit is that of requests without tensors and files. */
  private final boolean isPlain;

  private final RequestMemory memory;
  private final LongWork longWork;

  /**
   * @param maxInputSize {@code --http-max-input-size}
   */
  public BodyDecoder(long maxInputSize, RequestMemory memory, LongWork longWork) {
    this(maxInputSize, memory, longWork, false);
  }

  private BodyDecoder(long maxInputSize, RequestMemory memory, LongWork longWork, boolean isPlain) {
    this.isPlain = isPlain;
    this.maxInputSize = maxInputSize;
    this.memory = memory;
    this.longWork = longWork;
  }

  /** What the client of a request may have of a pool. */
  public LeaseSource memory(HttpRequest request, LeaseSource pool) {
    return memory.of(pool, request.client());
  }

  /**
   * Returns how the body of a request is compressed.
   *
   * @throws InferenceException UNSUPPORTED for another encoding, INVALID_ARGUMENT for a compressed
   *     body that is not there
   */
  public static ContentEncoding encoding(HttpRequest request, HttpResponse response) {
    ContentEncoding encoding =
        switch (request.header("Content-Encoding").orElse("")) {
          case "", "identity" -> ContentEncoding.IDENTITY;
          case "gzip" -> ContentEncoding.GZIP;
          case "deflate" -> ContentEncoding.DEFLATE;
          default -> {
            response.header("Accept-Encoding", "gzip, deflate");
            throw InferenceException.unsupported("Unsupported compression type");
          }
        };
    if (encoding != ContentEncoding.IDENTITY && request.body().isAbsent()) {
      throw InferenceException.invalid("nothing to be decompressed");
    }
    return encoding;
  }

  /**
   * Reads the whole body of an inference request.
   *
   * @param encoding its {@link #encoding}
   * @param jsonLength bytes of JSON before the binary tensors: 0 for a raw body, empty for JSON
   *     only
   * @return owned by the caller
   */
  public Lease read(
      HttpRequest request, ContentEncoding encoding, OptionalInt jsonLength, LeaseSource source)
      throws IOException {
    return read(request, encoding, jsonLength, MAX_BODY, source);
  }

  /**
   * Reads a whole body that is a JSON document. Only the lengths of inference requests are ints in
   * Triton.
   *
   * @return owned by the caller
   */
  public Lease readDocument(HttpRequest request, HttpResponse response, LeaseSource source)
      throws IOException {
    return read(request, encoding(request, response), OptionalInt.empty(), Long.MAX_VALUE, source);
  }

  /**
   * Has a whole body read that is a JSON document without tensors and files, which is small.
   *
   * @param reading borrows the body
   * @throws InferenceException INVALID_ARGUMENT if it has more than {@link
   *     RequestLimits#MAX_PLAIN_REQUEST} bytes
   */
  public <T> T readPlain(
      HttpRequest request,
      HttpResponse response,
      BufferPool pool,
      Function<MemorySegment, T> reading)
      throws IOException {
    BodyDecoder decoder =
        maxInputSize <= RequestLimits.MAX_PLAIN_REQUEST
            ? this
            : new BodyDecoder(RequestLimits.MAX_PLAIN_REQUEST, memory, longWork, true);
    try (Lease body = decoder.readDocument(request, response, pool)) {
      return reading.apply(body.segment());
    }
  }

  private Lease read(
      HttpRequest request,
      ContentEncoding encoding,
      OptionalInt jsonLength,
      long maxLength,
      LeaseSource source)
      throws IOException {
    if (encoding != ContentEncoding.IDENTITY) {
      return decompress(encoding, request, jsonLength, source);
    }
    RequestBody body = request.body();
    long limit = jsonLength.orElse(0) > 0 ? MAX_BODY : maxInputSize;
    if (body.declaredLength().isEmpty()) {
      return readToEnd(
          request,
          padding(jsonLength),
          limit,
          size -> tooLarge(size, maxLength, jsonLength),
          source);
    }
    long length = body.declaredLength().getAsLong();
    if (length > limit) {
      throw tooLarge(length, maxLength, jsonLength);
    }
    try (var leased = GrowingLease.ofLength(source, padding(jsonLength), length)) {
      while (leased.filled() < length) {
        if (body.read(room(request, leased)) < 0) {
          throw new IllegalStateException("a body ended after %d bytes".formatted(leased.filled()));
        }
      }
      return leased.finish();
    }
  }

  /** Room for bytes; memory grows by long work if that is a large copy. */
  private ByteBuffer room(HttpRequest request, GrowingLease leased) throws IOException {
    return longWork.call(request.client(), leased.copiedNext(), leased::room);
  }

  /** The failure of a body of {@code size} bytes, or more if it was not read to its end. */
  private InferenceException tooLarge(long size, long maxLength, OptionalInt jsonLength) {
    if (isPlain) {
      return RequestLimits.plainTooLarge();
    }
    if (size > maxLength) {
      return InferenceException.invalid(
          "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ], got: "
              + size);
    }
    return jsonLength.isPresent()
        ? RawRequestReader.tooLarge(size, maxInputSize)
        : JsonRequestReader.tooLarge(size, maxInputSize);
  }

  private Lease decompress(
      ContentEncoding encoding, HttpRequest request, OptionalInt jsonLength, LeaseSource source)
      throws IOException {
    LongFunction<InferenceException> tooLarge = _ -> decompressedTooLarge();
    try (Lease compressed = readToEnd(request, 0, maxInputSize, tooLarge, source);
        var unpacked = upTo(maxInputSize, padding(jsonLength), source)) {
      unpack(encoding, request.client(), compressed.segment(), unpacked);
      return unpacked.finish();
    }
  }

  private void unpack(
      ContentEncoding encoding, ClientKey client, MemorySegment compressed, GrowingLease unpacked)
      throws IOException {
    var bytes = new SegmentStream(compressed);
    try (InputStream stream =
        isGzip(encoding, compressed) ? new GzipStream(bytes) : new InflaterInputStream(bytes)) {
      boolean hasEnded = unpack(stream, unpacked, LongWork.LEAST);
      if (!hasEnded) {
        var _ =
            longWork.call(client, LongWork.LEAST, () -> unpack(stream, unpacked, Long.MAX_VALUE));
      }
    } catch (ZipException | EOFException corrupt) {
      String reason = corrupt.getMessage() == null ? "it ends early" : corrupt.getMessage();
      throw InferenceException.invalid(
          "request body is not valid %s data: %s".formatted(encoding.token(), reason));
    }
  }

  /** Whether a body is gzip: as it begins, or as its header says if it begins as neither does. */
  private static boolean isGzip(ContentEncoding said, MemorySegment body) {
    int start =
        body.byteSize() < Short.BYTES
            ? 0
            : (body.get(Elements.BYTE, 0) & 0xFF) << 8 | (body.get(Elements.BYTE, 1) & 0xFF);
    boolean isZlib = ((start >> 8) & 0xF) == DEFLATE && start % 31 == 0; // RFC 1950
    return start == GZIP_MAGIC || (said == ContentEncoding.GZIP && !isZlib);
  }

  /** Unpacks until so many bytes have come; returns whether they were all. */
  private boolean unpack(InputStream stream, GrowingLease unpacked, long size) throws IOException {
    byte[] chunk = new byte[CHUNK];
    while (unpacked.filled() < size) {
      ByteBuffer room = unpacked.room();
      int count = stream.read(chunk, 0, Math.min(chunk.length, room.remaining()));
      if (count < 0) {
        return true;
      }
      room.put(chunk, 0, count);
      if (unpacked.filled() > maxInputSize) {
        throw decompressedTooLarge();
      }
    }
    return false;
  }

  private InferenceException decompressedTooLarge() {
    if (isPlain) {
      return RequestLimits.plainTooLarge();
    }
    return InferenceException.invalid(
        ("Decompressed data size exceeds the maximum allowed value of %d bytes. Use"
                + " --http-max-input-size to increase the limit.")
            .formatted(maxInputSize));
  }

  /** Reads a body of unknown length. */
  private Lease readToEnd(
      HttpRequest request,
      int padding,
      long limit,
      LongFunction<InferenceException> tooLarge,
      LeaseSource source)
      throws IOException {
    try (var leased = upTo(limit, padding, source)) {
      while (request.body().read(room(request, leased)) >= 0) {
        if (leased.filled() > limit) {
          throw tooLarge.apply(leased.filled());
        }
      }
      return leased.finish();
    }
  }

  /** Memory for a body up to a limit, and for the byte that exceeds it. */
  private static GrowingLease upTo(long limit, int padding, LeaseSource source) {
    return GrowingLease.upTo(source, padding, Math.max(limit, limit + 1), CHUNK);
  }

  /** The padding before a body that aligns the byte behind its JSON. */
  private static int padding(OptionalInt jsonLength) {
    return -jsonLength.orElse(0) & (int) (BufferPool.ALIGNMENT - 1);
  }
}
