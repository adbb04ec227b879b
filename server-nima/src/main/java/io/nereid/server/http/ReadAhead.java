package io.nereid.server.http;

import io.nereid.server.request.ResponsePromise;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads on while a request waits for its answer, which is the only way to learn that its client has
 * hung up: the end of the stream, or a reset. What comes instead belongs to the next request and is
 * kept for it, one array at most; from then on a client that hangs up is not noticed.
 *
 * <p>One connection. Its own thread says when a request waits and takes what was read; a {@link
 * DisconnectMonitor} says when it has waited for long; a virtual thread reads.
 */
final class ReadAhead {
  private enum Stage {
    /** The connection's own thread reads, whenever it likes. */
    NONE,
    READING,
    /** What was read, or that nothing will be, is to be taken first. */
    READ
  }

  private final Supplier<byte @Nullable []> socket;
  private Stage stage = Stage.NONE;
  private byte @Nullable [] bytes;
  private @Nullable UncheckedIOException broken;
  private @Nullable ResponsePromise waiting;

  /** What waited when the watch last looked. */
  private @Nullable ResponsePromise seen;

  /**
   * @param socket gives the next bytes, or null at the end of the stream; blocks
   */
  ReadAhead(Supplier<byte @Nullable []> socket) {
    this.socket = socket;
  }

  /** A request waits for its answer, which is called off if the client hangs up. */
  void begin(ResponsePromise promise) {
    boolean over;
    synchronized (this) {
      waiting = promise;
      over = isOver();
    }
    if (over) {
      promise.cancel();
    }
  }

  /** The request waits no longer. */
  synchronized void end() {
    waiting = null;
  }

  /** Reads ahead if the same request waits as at the last look. */
  void look() {
    synchronized (this) {
      boolean waitsForLong = waiting != null && waiting == seen;
      seen = waiting;
      if (!waitsForLong || stage != Stage.NONE) {
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
      calledOff(next, failure).ifPresent(ResponsePromise::cancel); // runs others' code: no lock
    }
  }

  /** Keeps what was read; returns what nobody waits for any more. */
  private synchronized Optional<ResponsePromise> calledOff(
      byte @Nullable [] next, @Nullable UncheckedIOException failure) {
    bytes = next;
    broken = failure;
    stage = Stage.READ;
    notifyAll();
    return isOver() ? Optional.ofNullable(waiting) : Optional.empty();
  }

  /** Whether the client has hung up: nothing more will come. */
  synchronized boolean isOver() {
    return stage == Stage.READ && bytes == null;
  }

  /** Whether there is something to {@link #take} before the socket is read again. */
  synchronized boolean isPending() {
    return stage != Stage.NONE;
  }

  /**
   * The bytes that were read, once they are there; null at the end of the stream. While it {@link
   * #isPending}.
   */
  @SuppressWarnings("ReturnsNullCollection") // what Helidon's reader takes for the end
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
