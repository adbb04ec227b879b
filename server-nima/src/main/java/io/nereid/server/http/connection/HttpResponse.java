package io.nereid.server.http.connection;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.http.message.ReadAhead;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to one request: status and fields first, then one of the methods {@code send}, or
 * the parts of a body whose length is not known. Used by the connection's thread.
 *
 * <pre>{@code
 * response.addPart(bytes, length);
 * response.flushParts(); // the client has it
 * response.endParts();
 * }</pre>
 */
public final class HttpResponse implements ReadAhead.Probe {
  /** Bodies up to this size are copied behind the head and written with it. */
  private static final int COPIED = 8 << 10;

  /** The largest buffer of parts that is used again. */
  private static final int KEPT = 64 << 10;

  /** The largest buffer around a part: the size of a buffer is an int. */
  private static final long MAX_PART = 1L << 30;

  private static final byte[] LINE_END = {'\r', '\n'};

  private final Http1Connection connection;
  private final boolean hasBody;
  private final boolean isHttp10;
  private final ResponseBuffers buffers;
  private int status = 200;
  private boolean isSent;
  private boolean hasRun;
  private @Nullable String requestId;
  private long bodyBytes;

  /** Why the request has failed; null if it has not. */
  private @Nullable String error;

  /** Parts that are to be written, behind the head if that is; null without parts. */
  private @Nullable ByteSink parts;

  HttpResponse(Http1Connection connection, boolean hasBody, boolean isHttp10) {
    this.connection = connection;
    this.hasBody = hasBody;
    this.isHttp10 = isHttp10;
    this.buffers = connection.buffers();
    buffers.clear();
  }

  /** Another response to the same request, in place of this one, of which nothing was written. */
  HttpResponse anew() {
    var response = new HttpResponse(connection, hasBody, isHttp10);
    response.hasRun = hasRun;
    response.requestId = requestId;
    return response;
  }

  /** The request has been executed: whatever becomes of its response, it is not to be repeated. */
  public void executed() {
    hasRun = true;
  }

  /** Says when the client may send the request again, unless it has been executed. */
  public HttpResponse retryAfter(long seconds) {
    return hasRun ? this : header("Retry-After", Long.toString(seconds));
  }

  /**
   * Sets the field {@code X-Request-Id} of this response, and of one in its place.
   *
   * @param id visible ASCII
   */
  public void requestId(String id) {
    requestId = id;
  }

  /** Sets the status; 200 if it is not called. */
  public HttpResponse status(int code) {
    status = code;
    return this;
  }

  /** The status; valid once the response is begun. */
  public int status() {
    return status;
  }

  /** Notes why the request has failed, for {@link HttpHandler#ended}. */
  public HttpResponse error(@Nullable String text) {
    error = text;
    return this;
  }

  /** Why the request has failed; null if it has not. */
  public @Nullable String error() {
    return error;
  }

  /** The bytes of the body that were sent, or begun to be. */
  public long bodyBytes() {
    return bodyBytes;
  }

  /**
   * Adds a field. Length, date and connection are the server's own.
   *
   * @param value ASCII without line ends
   */
  public HttpResponse header(String name, String value) {
    ByteSink fields = buffers.fields();
    fields.putAscii(name);
    fields.putAscii(": ");
    fields.putAscii(value);
    fields.putAscii("\r\n");
    return this;
  }

  /** Closes the connection behind this response, and says so in it. */
  public void closeConnection() {
    connection.closeAfterResponse();
  }

  /**
   * Writes an interim response if the client may get one: before the head, and not of HTTP/1.0. By
   * any thread, while no other uses this response.
   */
  @Override
  public boolean sendProbe() throws IOException {
    boolean mayBeSent = !isSent && !isHttp10;
    if (mayBeSent) {
      connection.writeInterim();
    }
    return mayBeSent;
  }

  /** Whether the head is written, or was begun. */
  public boolean isSent() {
    return isSent;
  }

  /** Sends a body; {@code bytes} may be changed afterwards. */
  public void send(byte[] bytes) throws IOException {
    send(bytes, bytes.length, List.of());
  }

  /**
   * Sends a body.
   *
   * @param bytes its beginning
   * @param length how many of {@code bytes}
   * @param rest its further bytes, written from where they lie
   */
  public void send(byte[] bytes, int length, List<MemorySegment> rest) throws IOException {
    begin();
    long restSize = 0;
    for (MemorySegment part : rest) {
      restSize += part.byteSize();
    }
    ByteSink head = head(length + restSize);
    if (!hasBody) {
      connection.write(buffer(head.array(), head.size()));
      return;
    }
    bodyBytes = length + restSize;
    if (restSize == 0 && length <= COPIED) {
      head.put(MemorySegment.ofArray(bytes).asSlice(0, length));
      connection.write(buffer(head.array(), head.size()));
    } else {
      connection.write(buffers(head, bytes, length, rest));
    }
  }

  /**
   * Adds a part of a body whose length is not known: a chunk, or what it is of a body that ends
   * with the connection (HTTP/1.0). Nothing is written before {@link #flushParts}.
   *
   * @param length how many of {@code bytes}, which may be changed afterwards; above 0
   */
  public void addPart(byte[] bytes, int length) {
    ByteSink target = parts();
    if (!hasBody) {
      return;
    }
    if (!isHttp10) {
      target.putAscii(Integer.toHexString(length));
      target.putAscii("\r\n");
    }
    target.put(MemorySegment.ofArray(bytes).asSlice(0, length));
    bodyBytes += length;
    if (!isHttp10) {
      target.putAscii("\r\n");
    }
  }

  /**
   * Writes a part at once, from where it lies, behind those that were added.
   *
   * @param part not empty
   */
  public void writePart(MemorySegment part) throws IOException {
    ByteSink before = parts();
    if (hasBody) {
      if (!isHttp10) {
        before.putAscii(Long.toHexString(part.byteSize()));
        before.putAscii("\r\n");
      }
      bodyBytes += part.byteSize();
      connection.write(
          buffer(before.array(), before.size()),
          part.asByteBuffer(),
          isHttp10 ? ByteBuffer.allocate(0) : ByteBuffer.wrap(LINE_END));
      before.clear();
    }
  }

  /** Writes the parts that were added. */
  public void flushParts() throws IOException {
    ByteSink written = parts();
    if (written.size() > 0) {
      connection.write(buffer(written.array(), written.size()));
      written.clear();
      if (written.array().length > KEPT) {
        parts = new ByteSink(COPIED);
      }
    }
  }

  /** The bytes of parts that {@link #flushParts} would write. */
  public int partsSize() {
    return parts == null ? 0 : parts.size();
  }

  /** Ends a body whose length was not known, maybe one without parts, and writes what is left. */
  public void endParts() throws IOException {
    ByteSink target = parts();
    if (hasBody && !isHttp10) {
      target.putAscii("0\r\n\r\n");
    }
    connection.decideKept(); // the server may have begun to stop since the head
    flushParts();
  }

  /** The parts; first behind the head. */
  private ByteSink parts() {
    ByteSink existing = parts;
    if (existing != null) {
      return existing;
    }
    begin();
    if (isHttp10) {
      connection.closeAfterResponse(); // the only end that such a client knows
    }
    ByteSink head = head();
    head.putAscii(isHttp10 ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n");
    parts = head;
    return head;
  }

  private void begin() {
    if (isSent) {
      throw new IllegalStateException("a response is sent twice");
    }
    isSent = true;
  }

  /** All of a response, so that the transport knows how much it is. */
  private static ByteBuffer[] buffers(
      ByteSink head, byte[] bytes, int length, List<MemorySegment> rest) {
    List<ByteBuffer> all = new ArrayList<>(2 + rest.size());
    all.add(buffer(head.array(), head.size()));
    all.add(buffer(bytes, length));
    for (MemorySegment part : rest) {
      for (long offset = 0; offset < part.byteSize(); offset += MAX_PART) {
        long size = Math.min(part.byteSize() - offset, MAX_PART);
        all.add(part.asSlice(offset, size).asByteBuffer());
      }
    }
    return all.toArray(ByteBuffer[]::new);
  }

  private static ByteBuffer buffer(byte[] bytes, int length) {
    return ByteBuffer.wrap(bytes, 0, length);
  }

  private ByteSink head(long contentLength) {
    ByteSink head = head();
    head.putAscii("Content-Length: ");
    head.putLong(contentLength);
    head.putAscii("\r\n\r\n");
    return head;
  }

  /** The head but for the length and its end. */
  private ByteSink head() {
    boolean isKept = connection.decideKept();
    ByteSink head = buffers.head();
    head.putAscii("HTTP/1.1 ");
    head.putAscii(StatusLines.text(status));
    head.putAscii("\r\nDate: ");
    head.putAscii(HttpDate.now());
    head.putAscii("\r\n");
    if (!isKept) {
      head.putAscii("Connection: close\r\n");
    } else if (isHttp10) {
      head.putAscii("Connection: keep-alive\r\n");
    }
    if (requestId != null) {
      head.putAscii("X-Request-Id: ");
      head.putAscii(requestId);
      head.putAscii("\r\n");
    }
    ByteSink fields = buffers.fields();
    head.put(MemorySegment.ofArray(fields.array()).asSlice(0, fields.size()));
    return head;
  }
}
