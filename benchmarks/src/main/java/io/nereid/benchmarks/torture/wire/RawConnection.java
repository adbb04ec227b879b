package io.nereid.benchmarks.torture.wire;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A TCP connection on which the caller writes any bytes. Each direction is used by one thread. */
public final class RawConnection implements AutoCloseable {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int POLL_MILLIS = 100;
  private static final int SCRATCH_BYTES = 1 << 16;
  private static final int BEGINNING_BYTES = 1 << 10;

  private final Socket socket = new Socket();
  private final InputStream in;

  private RawConnection(@Nullable InetAddress source, InetSocketAddress server, int receiveBytes)
      throws IOException {
    try {
      if (source != null) {
        socket.bind(new InetSocketAddress(source, 0));
      }
      socket.setTcpNoDelay(true);
      if (receiveBytes > 0) {
        socket.setReceiveBufferSize(receiveBytes);
      }
      socket.connect(server, CONNECT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream(), 1 << 13);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  public static RawConnection open(InetSocketAddress server) throws IOException {
    return new RawConnection(null, server, 0);
  }

  /** Opens a connection from an address of this machine. */
  public static RawConnection openFrom(InetAddress source, InetSocketAddress server)
      throws IOException {
    return new RawConnection(source, server, 0);
  }

  /** Opens a connection whose receive buffer holds about {@code receiveBytes}. */
  public static RawConnection open(InetSocketAddress server, int receiveBytes) throws IOException {
    return new RawConnection(null, server, receiveBytes);
  }

  public void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  public void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Sends so many pieces, or fewer if the server, or an interrupt, closes the connection. */
  public void sendEach(int count, IntFunction<byte[]> piece) {
    try {
      for (int i = 0; i < count; i++) {
        send(piece.apply(i));
      }
    } catch (IOException _) {
      // what has come shows how far it went
    }
  }

  /**
   * Reads one response.
   *
   * @throws IOException if the connection ends or {@code limit} passes before the response is
   *     complete
   */
  public HttpAnswer receive(Duration limit) throws IOException {
    socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
    return HttpAnswer.read(in, Integer.MAX_VALUE);
  }

  /**
   * Reads one response of any size, and keeps the beginning of its body only.
   *
   * @throws IOException as {@link #receive(Duration)}
   */
  public HttpAnswer receiveBeginning(Duration limit) throws IOException {
    socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
    return HttpAnswer.read(in, BEGINNING_BYTES);
  }

  /** Ends what is sent; responses can still be read. */
  public void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Reads exactly {@code length} bytes. */
  public byte[] receive(int length, Duration limit) throws IOException {
    socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the server closed the connection");
    }
    return bytes;
  }

  /** Whether bytes of the server can be read without waiting. */
  public boolean hasAnswer() throws IOException {
    return in.available() > 0;
  }

  /**
   * Reads and drops bytes until the server closes or resets the connection, and returns whether it
   * does so within {@code limit}.
   */
  public boolean isClosedWithin(Duration limit) throws IOException {
    byte[] scratch = new byte[SCRATCH_BYTES];
    long deadline = System.nanoTime() + limit.toNanos();
    do {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      socket.setSoTimeout(Math.clamp(left, 1, POLL_MILLIS));
      try {
        if (in.read(scratch) < 0) {
          return true;
        }
      } catch (SocketTimeoutException _) {
        // nothing has come
      } catch (IOException _) {
        return true; // reset
      }
    } while (System.nanoTime() - deadline < 0);
    return false;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
