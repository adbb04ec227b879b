package io.nereid.benchmarks.torture.wire;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a server sends over HTTP/2, up to the end of the connection. One thread reads frames; any
 * asks what came.
 */
public final class FrameReader {
  private static final String[] ERRORS = {
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"
  };
  private static final int UNSIGNED = 0xff;

  private final RawConnection connection;
  private final AtomicLong resets = new AtomicLong();
  private volatile String goAway = "";
  private volatile boolean closed;

  public FrameReader(RawConnection connection) {
    this.connection = connection;
  }

  /**
   * Reads frames until a GOAWAY has come, the connection has ended, or {@code limit} has passed.
   */
  public void readToTheEnd(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (goAway.isEmpty() && !closed) {
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
    byte[] payload = connection.receive(length, limit);
    if (type == Frames.RST_STREAM) {
      resets.incrementAndGet();
    } else if (type == Frames.GOAWAY) {
      var goodbye = ByteBuffer.wrap(payload);
      int code = goodbye.getInt(4);
      goAway =
          (code >= 0 && code < ERRORS.length ? ERRORS[code] : "error " + code)
              + (length > 8
                  ? " '" + new String(payload, 8, length - 8, StandardCharsets.UTF_8) + "'"
                  : "");
    }
  }

  /** The streams that the server has reset. */
  public long resets() {
    return resets.get();
  }

  /** How the connection stands, for a table. */
  public String summary() {
    if (!goAway.isEmpty()) {
      return "GOAWAY " + goAway;
    }
    return closed ? "closed" : "open";
  }
}
