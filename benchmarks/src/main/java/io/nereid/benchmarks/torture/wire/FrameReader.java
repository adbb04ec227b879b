package io.nereid.benchmarks.torture.wire;

import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * What a server sends over HTTP/2, up to the end of the connection. One thread reads frames; any
 * asks what came.
 */
public final class FrameReader {
  private static final int UNSIGNED = 0xff;

  private final RawConnection connection;
  private final AtomicLong resets = new AtomicLong();
  private final Set<Integer> dataStreams = ConcurrentHashMap.newKeySet();
  private final Set<Integer> endedStreams = ConcurrentHashMap.newKeySet();
  private volatile String goAway = "";
  private volatile boolean closed;

  public FrameReader(RawConnection connection) {
    this.connection = connection;
  }

  /**
   * Reads frames until a GOAWAY has come, the connection has ended, or {@code limit} has passed.
   */
  public void readToTheEnd(Duration limit) {
    read(limit, () -> false);
  }

  /** As {@link #readToTheEnd}, or until {@code stream} has ended. */
  public void readTo(int stream, Duration limit) {
    read(limit, () -> endedStreams.contains(stream));
  }

  private void read(Duration limit, BooleanSupplier done) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (goAway.isEmpty() && !closed && !done.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      try {
        read(Duration.ofMillis(Math.max(1, Duration.ofNanos(left).toMillis())));
      } catch (SocketTimeoutException _) {
        return;
      } catch (IOException _) {
        closed = true; // ended or reset
      }
    }
  }

  private void read(Duration limit) throws IOException {
    var head = ByteBuffer.wrap(connection.receive(Frames.HEAD_BYTES, limit));
    int length = (head.getShort() & 0xffff) << 8 | (head.get() & UNSIGNED);
    int type = head.get() & UNSIGNED;
    int flags = head.get();
    int stream = head.getInt();
    byte[] payload = connection.receive(length, limit);
    if (type == Frames.DATA && length > 0) {
      dataStreams.add(stream);
    }
    if (type == Frames.RST_STREAM
        || ((type == Frames.DATA || type == Frames.HEADERS) && (flags & Frames.END_STREAM) != 0)) {
      endedStreams.add(stream);
    }
    if (type == Frames.RST_STREAM) {
      resets.incrementAndGet();
    } else if (type == Frames.GOAWAY) {
      var goodbye = ByteBuffer.wrap(payload);
      int code = goodbye.getInt(4);
      Http2Error error = Http2Error.valueOf(code);
      goAway =
          (error == null ? "error " + code : error.name())
              + (length > 8
                  ? " '" + new String(payload, 8, length - 8, StandardCharsets.UTF_8) + "'"
                  : "");
    }
  }

  /** The streams that the server has reset. */
  public long resets() {
    return resets.get();
  }

  /** The streams that the server has ended or reset. */
  public long ended() {
    return endedStreams.size();
  }

  /** Whether a message has come on {@code stream}: in gRPC, no error has one. */
  public boolean hasData(int stream) {
    return dataStreams.contains(stream);
  }

  /** How the connection stands, for a table. */
  public String summary() {
    if (!goAway.isEmpty()) {
      return "GOAWAY " + goAway;
    }
    return closed ? "closed" : "open";
  }
}
