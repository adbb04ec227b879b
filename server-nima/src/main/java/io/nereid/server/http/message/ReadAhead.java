package io.nereid.server.http.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A read from a connection whose request waits for its response: the only way to notice that the
 * client has disconnected, by the end of the stream or a reset. Bytes that arrive instead belong to
 * the next request and are kept for it. At most one array is read ahead; after it, a disconnect is
 * not noticed until the next request waits.
 *
 * <p>The connection's thread states when a request waits, and takes what was read. A monitor starts
 * the read, by {@link #check}; a virtual thread performs it.
 */
public final class ReadAhead {
  private static final int SIZE = 8 << 10;
  private static final byte[] END = {};

  private enum Stage {
    /** The connection's thread may read. */
    NONE,
    READING,
    /** The result must be taken before the connection is read again. */
    READ
  }

  private final Transport transport;
  private Stage stage = Stage.NONE;

  /** What was read; empty at the end of the input. */
  private byte[] bytes = END;

  private @Nullable IOException broken;

  /** Run when the client disconnects; null while no request waits. */
  private @Nullable Runnable waiting;

  /** The number of requests that have waited. */
  private long waits;

  /** The request that was waiting at the previous check, by its number. */
  private long checked;

  /** Whether the end of the input is the server's doing. */
  private boolean inputEnded;

  ReadAhead(Transport transport) {
    this.transport = transport;
  }

  /**
   * States that a request waits.
   *
   * @param onDisconnect run once if the client disconnects before {@link #end}, by any thread
   */
  public void begin(Runnable onDisconnect) {
    boolean disconnected;
    synchronized (this) {
      waiting = onDisconnect;
      waits++;
      disconnected = isDisconnected();
    }
    if (disconnected) {
      onDisconnect.run();
    }
  }

  /** States that no request waits. */
  public synchronized void end() {
    waiting = null;
  }

  /** States that the server ends the input, so that its end is no disconnect. */
  public synchronized void inputEnds() {
    inputEnded = true;
  }

  /** Starts to read ahead if the same request was waiting at the previous check. */
  public void check() {
    synchronized (this) {
      boolean waitsSinceLastCheck = waiting != null && waits == checked;
      checked = waits;
      if (!waitsSinceLastCheck || stage != Stage.NONE) {
        return;
      }
      stage = Stage.READING;
    }
    boolean isStarted = false;
    try {
      Thread.ofVirtual().name("read-ahead").start(this::read);
      isStarted = true;
    } finally {
      if (!isStarted) { // for lack of memory: the connection's thread would wait for this read
        notStarted();
      }
    }
  }

  private synchronized void notStarted() {
    stage = Stage.NONE;
    notifyAll();
  }

  private void read() {
    byte[] next = END;
    IOException failure = null;
    try {
      ByteBuffer target = ByteBuffer.allocate(SIZE);
      if (transport.read(target) > 0) {
        next = Arrays.copyOf(target.array(), target.position());
      }
    } catch (IOException reset) {
      failure = reset;
    } finally {
      keep(next, failure).ifPresent(Runnable::run); // no lock is held
    }
  }

  /** Keeps the result of the read; returns what to run. */
  private synchronized Optional<Runnable> keep(byte[] next, @Nullable IOException failure) {
    bytes = next;
    broken = failure;
    stage = Stage.READ;
    notifyAll();
    return isDisconnected() ? Optional.ofNullable(waiting) : Optional.empty();
  }

  /** Whether the read has met the end of the input or a reset. */
  public synchronized boolean isDisconnected() {
    return stage == Stage.READ && bytes.length == 0 && !inputEnded;
  }

  /** Whether {@link #take} must be called before the connection is read again. */
  synchronized boolean isPending() {
    return stage != Stage.NONE;
  }

  /**
   * Waits for the bytes that are read ahead; called only if {@link #isPending}.
   *
   * @return empty at the end of the input
   */
  synchronized byte[] take() throws IOException {
    try {
      while (stage == Stage.READING) {
        wait();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
    IOException failure = broken;
    byte[] taken = bytes;
    stage = Stage.NONE;
    bytes = END;
    broken = null;
    if (failure != null) {
      throw failure;
    }
    return taken;
  }
}
