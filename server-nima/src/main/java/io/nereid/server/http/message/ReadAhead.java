package io.nereid.server.http.message;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A read from a connection whose request waits for its response: the only way to notice that the
 * client has disconnected, by a reset or the end of the stream. The end may also be that of a
 * client that has closed its output and waits for the response, so probes are written behind it: a
 * client that has closed its connection answers the first with a reset, and one that follows fails.
 * Bytes that arrive instead belong to the next request and are kept for it. At most one array is
 * read ahead; after it, a disconnect is not noticed until the next request waits.
 *
 * <p>The connection's thread states when a request waits, and takes what was read. A monitor starts
 * the read and the probes, by {@link #check}; a virtual thread performs each.
 */
public final class ReadAhead {
  /** What is written to a client that may have disconnected, and that any other ignores. */
  @FunctionalInterface
  public interface Probe {
    /** Writes it; returns false if there is nothing that the client would ignore. */
    boolean sendProbe() throws IOException;
  }

  private static final System.Logger LOG = System.getLogger(ReadAhead.class.getName());
  private static final int SIZE = 8 << 10;
  private static final byte[] END = {};

  /** The most checks between two probes, of which the first come faster. */
  private static final int MAX_PAUSE = 64;

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

  /** Whether the client has disconnected. */
  private boolean gone;

  /** Run when the client disconnects; null while no request waits. */
  private @Nullable Runnable waiting;

  private @Nullable Probe probe;

  /** Whether a probe is being written. */
  private boolean probing;

  /** So many checks are between the last probe and the next, and so many of them are left. */
  private int pause;

  private int pauseLeft;

  /** The number of requests that have waited. */
  private long waits;

  /** The request that was waiting at the previous check, by its number. */
  private long checked;

  /** Whether the end of the input is the server's doing. */
  private boolean inputEnded;

  /** Whether the server has no time left for what waits. */
  private boolean expired;

  ReadAhead(Transport transport) {
    this.transport = transport;
  }

  /**
   * States that a request waits.
   *
   * @param newProbe written before {@link #end} returns, by any thread
   * @param onEnd run if the client disconnects, or the server has no time left, before {@link
   *     #end}, by any thread
   */
  public void begin(Probe newProbe, Runnable onEnd) {
    boolean isOver;
    synchronized (this) {
      probe = newProbe;
      waiting = onEnd;
      waits++;
      isOver = gone || expired;
    }
    if (isOver) {
      onEnd.run();
    }
  }

  /** States that no request waits, and waits for a probe that is being written. */
  public synchronized void end() {
    waiting = null;
    boolean interrupted = false;
    while (probing) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        interrupted = true;
      }
    }
    probe = null;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** States that the server ends the input, so that its end is no disconnect. */
  public synchronized void inputEnds() {
    inputEnded = true;
  }

  /** Ends what waits, since the server has no time left for it. */
  public void expire() {
    Runnable onEnd;
    synchronized (this) {
      expired = true;
      onEnd = waiting;
    }
    if (onEnd != null) {
      onEnd.run(); // no lock is held
    }
  }

  /** Whether the server had no time left for what waited. */
  public synchronized boolean isExpired() {
    return expired;
  }

  /** Starts to read ahead, or a probe, if the same request was waiting at the previous check. */
  public void check() {
    Runnable work;
    synchronized (this) {
      boolean waitsSinceLastCheck = waiting != null && waits == checked;
      checked = waits;
      if (!waitsSinceLastCheck) {
        return;
      }
      if (stage == Stage.NONE) {
        stage = Stage.READING;
        work = this::read;
      } else if (isProbeDue()) {
        probing = true;
        work = this::probe;
      } else {
        return;
      }
    }
    boolean isStarted = false;
    try {
      Thread.ofVirtual().name("read-ahead").start(work);
      isStarted = true;
    } finally {
      if (!isStarted) { // for lack of memory: the connection's thread would wait for it
        notStarted();
      }
    }
  }

  /** Whether the end of the input has been read, and it is time to look whose doing it is. */
  private boolean isProbeDue() {
    boolean isEnd = stage == Stage.READ && bytes.length == 0 && !gone && !inputEnded;
    if (!isEnd || waiting == null || probing) {
      return false;
    }
    if (pauseLeft > 0) {
      pauseLeft--;
      return false;
    }
    pauseLeft = pause;
    pause = pause == 0 ? 1 : Math.min(2 * pause, MAX_PAUSE);
    return true;
  }

  private synchronized void notStarted() {
    if (stage == Stage.READING) {
      stage = Stage.NONE;
    }
    probing = false;
    notifyAll();
  }

  private void read() {
    byte[] next = END;
    IOException failure = null;
    boolean isRead = false;
    try {
      ByteBuffer target = ByteBuffer.allocate(SIZE);
      if (transport.read(target) > 0) {
        next = Arrays.copyOf(target.array(), target.position());
      }
      isRead = true;
    } catch (IOException reset) {
      failure = reset;
    } finally {
      keep(next, failure, isRead).ifPresent(Runnable::run); // no lock is held
    }
  }

  /** Keeps the result of the read; returns what to run. */
  private synchronized Optional<Runnable> keep(
      byte[] next, @Nullable IOException failure, boolean isRead) {
    bytes = next;
    broken = failure;
    stage = Stage.READ;
    gone = !isRead && !inputEnded;
    notifyAll();
    if (!gone && isProbeDue()) {
      probing = true;
      return Optional.of(this::probe);
    }
    return gone ? Optional.ofNullable(waiting) : Optional.empty();
  }

  private void probe() {
    boolean isThere = false;
    try {
      isThere = Objects.requireNonNull(probe).sendProbe();
    } catch (IOException closed) {
      LOG.log(Level.TRACE, "a client has closed its connection", closed);
    } finally {
      probed(isThere).ifPresent(Runnable::run); // no lock is held
    }
  }

  /** Ends a probe; returns what to run. */
  private synchronized Optional<Runnable> probed(boolean isThere) {
    probing = false;
    gone = !isThere;
    notifyAll();
    return gone ? Optional.ofNullable(waiting) : Optional.empty();
  }

  /** Whether the client has disconnected, as far as that was noticed. */
  public synchronized boolean isDisconnected() {
    return gone;
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
