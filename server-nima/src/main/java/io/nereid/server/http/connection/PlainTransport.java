package io.nereid.server.http.connection;

import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.message.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** A connection without TLS. */
final class PlainTransport implements Transport {
  /**
   * A write from the heap goes through a direct buffer that the JDK keeps: of this size at most.
   */
  private static final int HEAP_STEP = 64 << 10;

  private static final long MAX_DISCARDED = 16L << 20;

  private final SocketChannel channel;
  private final Activity activity;
  private final Runnable turn;

  /**
   * @param activity is told how many bytes were moved
   */
  PlainTransport(SocketChannel channel, Activity activity) {
    this(channel, activity, Turn::await);
  }

  /**
   * @param turn waits until this connection may write more of what is large
   */
  PlainTransport(SocketChannel channel, Activity activity, Runnable turn) {
    this.channel = channel;
    this.activity = activity;
    this.turn = turn;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int count = channel.read(target);
    activity.moved(Math.max(count, 0));
    return count;
  }

  /** Reads a part of what has come, in a turn if one is needed, or waits for a few bytes. */
  @Override
  public int read(ByteBuffer target, long bodySize) throws IOException {
    if (!Turn.isNeeded(bodySize)) {
      return read(target);
    }
    int count =
        channel.socket().getInputStream().available() > 0
            ? Turn.take(() -> readSome(target, Turn.BYTES))
            : readSome(target, Turn.FIRST_BYTES);
    activity.moved(Math.max(count, 0));
    return count;
  }

  private int readSome(ByteBuffer target, int most) throws IOException {
    int end = target.limit();
    target.limit(target.position() + Math.min(target.remaining(), most));
    int count = channel.read(target);
    target.limit(end);
    return count;
  }

  @Override
  public boolean isEstablished() {
    return true;
  }

  @Override
  public void write(ByteBuffer... sources) throws IOException {
    long left = 0;
    for (ByteBuffer source : sources) {
      left += source.remaining();
    }
    long inTurn = left > Turn.BYTES ? Turn.FIRST_BYTES : Turn.BYTES;
    int first = 0;
    while (left > 0) {
      while (!sources[first].hasRemaining()) {
        first++;
      }
      if (inTurn == 0) {
        turn.run();
        inTurn = Turn.BYTES;
      }
      long count = write(sources, first, Math.min(left, inTurn));
      activity.moved(count);
      left -= count;
      inTurn -= count;
    }
  }

  /** Writes some of the bytes that are left from a buffer on. */
  private long write(ByteBuffer[] sources, int first, long most) throws IOException {
    int last = first;
    int size = step(sources[first], most);
    long total = size;
    while (total < most && size == sources[last].remaining()) {
      last++;
      size = step(sources[last], most - total);
      total += size;
    }
    ByteBuffer cut = sources[last];
    int end = cut.limit();
    cut.limit(cut.position() + size);
    try {
      return last == first ? channel.write(cut) : channel.write(sources, first, last - first + 1);
    } finally {
      cut.limit(end);
    }
  }

  private static int step(ByteBuffer source, long most) {
    int longest = source.isDirect() ? Turn.BYTES : HEAP_STEP;
    return (int) Math.min(Math.min(source.remaining(), longest), most);
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  /** Discards at most {@link #MAX_DISCARDED} bytes. */
  @Override
  public void linger(Duration longest) throws IOException {
    channel.shutdownOutput();
    long deadline = System.nanoTime() + longest.toNanos();
    Socket socket = channel.socket(); // its reads take a timeout, those of the channel do not
    InputStream input = socket.getInputStream();
    byte[] discarded = new byte[HEAP_STEP];
    try {
      long total = 0;
      int count = 0;
      while (count >= 0 && total < MAX_DISCARDED) {
        total += count;
        long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
        socket.setSoTimeout((int) left);
        count = deadline - System.nanoTime() > 0 ? input.read(discarded) : -1;
        if (count > 0) {
          Turn.await(); // a client that sends without a pause would keep the carrier for itself
        }
      }
    } catch (SocketTimeoutException expired) {
      return; // the client had its time
    }
  }

  @Override
  public void finish() throws IOException {
    channel.close();
  }

  @Override
  public void reset() throws IOException {
    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    channel.close();
  }
}
