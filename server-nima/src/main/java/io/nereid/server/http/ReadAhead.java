package io.nereid.server.http;

import io.nereid.server.request.ResponsePromise;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read from a connection whose request waits for its response: the only way to notice that the
 * client has disconnected, by the end of the stream or a reset. Bytes that arrive instead belong to
 * the next request and are kept for it. At most one array is read ahead; after it, a disconnect is
 * not noticed until the next request waits.
 *
 * <p>The connection's thread states when a request waits, and takes what was read. The {@link
 * DisconnectMonitor} starts the read; a virtual thread performs it.
 */
final class ReadAhead {
  private enum Stage {
    /** The connection's thread may read from the socket. */
    NONE,
    READING,
    /** The result must be taken before the socket is read again. */
    READ
  }

  private final Supplier<byte @Nullable []> socket;
  private Stage stage = Stage.NONE;
  private byte @Nullable [] bytes;
  private @Nullable UncheckedIOException broken;
  private @Nullable ResponsePromise waiting;

  /** The promise that was waiting at the previous check. */
  private @Nullable ResponsePromise checked;

  /**
   * @param socket returns the next bytes, or null at the end of the stream; blocks
   */
  ReadAhead(Supplier<byte @Nullable []> socket) {
    this.socket = socket;
  }

  /** States that a request waits; its promise is cancelled when the client disconnects. */
  void begin(ResponsePromise promise) {
    boolean disconnected;
    synchronized (this) {
      waiting = promise;
      disconnected = isDisconnected();
    }
    if (disconnected) {
      promise.cancel();
    }
  }

  /** States that no request waits. */
  synchronized void end() {
    waiting = null;
  }

  /** Starts to read ahead if the same request was waiting at the previous check. */
  void check() {
    synchronized (this) {
      boolean waitsSinceLastCheck = waiting != null && waiting == checked;
      checked = waiting;
      if (!waitsSinceLastCheck || stage != Stage.NONE) {
        return;
      }
      stage = Stage.READING;
    }
    Thread.ofVirtual().name("read-ahead").start(this::read);
  }

  private void read() {
    byte[] next = null;
    UncheckedIOException failure = null;
    try {
      next = socket.get();
    } catch (UncheckedIOException reset) {
      failure = reset;
    } finally {
      keep(next, failure).ifPresent(ResponsePromise::cancel); // runs callbacks: no lock is held
    }
  }

  /** Keeps the result of the read; returns the promise to cancel. */
  private synchronized Optional<ResponsePromise> keep(
      byte @Nullable [] next, @Nullable UncheckedIOException failure) {
    bytes = next;
    broken = failure;
    stage = Stage.READ;
    notifyAll();
    return isDisconnected() ? Optional.ofNullable(waiting) : Optional.empty();
  }

  /** Whether the read has met the end of the stream or a reset. */
  synchronized boolean isDisconnected() {
    return stage == Stage.READ && bytes == null;
  }

  /** Whether {@link #take} must be called before the socket is read again. */
  synchronized boolean isPending() {
    return stage != Stage.NONE;
  }

  /**
   * Waits for the bytes that are read ahead; called only if {@link #isPending}.
   *
   * @return null at the end of the stream
   */
  @SuppressWarnings("ReturnsNullCollection") // Helidon's reader expects null at the end
  synchronized byte @Nullable [] take() {
    try {
      while (stage == Stage.READING) {
        wait();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new ClosedByInterruptException());
    }
    UncheckedIOException failure = broken;
    byte[] taken = bytes;
    stage = Stage.NONE;
    bytes = null;
    broken = null;
    if (failure != null) {
      throw failure;
    }
    return taken;
  }
}
