package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientKey;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionWatch;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.limits.Idleness;
import io.nereid.server.http.message.BadRequestException;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.http.message.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a connection does, and its end by the server: for a deadline, for a new connection, or
 * because the server stops. The connection's thread states what it does; any thread may end it.
 */
final class ConnectionState {
  private static final System.Logger LOG = System.getLogger(ConnectionState.class.getName());

  /** What a client is told that comes while the server stops. */
  static final String STOPPING = "the server is stopping";

  /** What a client is told whose connection is above the limit, or is closed for a new one. */
  static final String FULL = "the server has too many connections";

  /** What the connection does. */
  private enum Phase {
    /** Waits for the first byte of a request. */
    IDLE,
    /** Reads a request. */
    RECEIVING,
    /** The whole request was read; its response is made or written. */
    RESPONDING,
    /** The server has ended the input: no further request is read. */
    ENDED
  }

  private final ConnectionAdmission admission;
  private final Transport transport;
  private final ReadAhead ahead;
  private final ConnectionWatch watch;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.IDLE);

  /** Whether the connection was seen by the monitor, and when it is too old. */
  private boolean isAging;

  private long oldAtNanos;

  /** Whether the connection is too old to be kept behind a response; set by the monitor. */
  private volatile boolean isOld;

  /** Why the monitor has ended the connection; null if it has not. */
  private volatile @Nullable HttpRefusal late;

  ConnectionState(
      ConnectionAdmission admission, Transport transport, ReadAhead ahead, Activity activity) {
    this.admission = admission;
    this.transport = transport;
    this.ahead = ahead;
    this.watch = new ConnectionWatch(activity);
  }

  /** The connection's place, which it has until its end. */
  ConnectionAdmission admission() {
    return admission;
  }

  ClientKey client() {
    return admission.client();
  }

  ReadAhead ahead() {
    return ahead;
  }

  /** The deadlines, which the monitor checks. */
  ConnectionWatch watch() {
    return watch;
  }

  /**
   * Looks at the age of the connection; called by the monitor, first soon after its begin.
   *
   * @param maxAge of connections; this one's is up to a tenth more or less, so that those that have
   *     begun together do not end together
   */
  void age(Duration maxAge, long now) {
    if (!isAging) {
      isAging = true;
      double spread = 0.9 + 0.2 * ThreadLocalRandom.current().nextDouble();
      oldAtNanos = now + (long) (maxAge.toNanos() * spread);
    }
    if (!isOld && now - oldAtNanos >= 0) {
      isOld = true;
    }
  }

  /** Whether a response ends the connection because of its age. */
  boolean isOld() {
    return isOld;
  }

  /** States that a request begins; returns false if the server has ended the connection before. */
  boolean beginRequest() {
    return phase.compareAndSet(Phase.IDLE, Phase.RECEIVING);
  }

  /**
   * States that a request was read; returns false if the server has ended the connection before.
   */
  boolean requestIsRead() {
    return phase.compareAndSet(Phase.RECEIVING, Phase.RESPONDING);
  }

  /** States that a response is written; returns whether another request may be read. */
  boolean endRequest() {
    return phase.getAndUpdate(now -> now == Phase.ENDED ? now : Phase.IDLE) != Phase.ENDED;
  }

  /** Whether the server has ended the input. */
  boolean isEnded() {
    return phase.get() == Phase.ENDED;
  }

  /** Why the server has ended the input within a request. */
  BadRequestException endedByServer() {
    HttpRefusal refusal = late;
    if (refusal == null) {
      return new BadRequestException(503, STOPPING);
    }
    if (refusal == HttpRefusal.ROOM) {
      return new BadRequestException(503, FULL);
    }
    String part = refusal == HttpRefusal.SLOW_HEAD ? "head" : "body";
    return new BadRequestException(
        408, "the %s of the request has not come in time".formatted(part));
  }

  /**
   * Ends the connection for what its client has taken too long for. A request that has come in part
   * is answered.
   *
   * @return whether the connection was ended by this call
   */
  boolean end(HttpRefusal refusal) {
    return switch (refusal) {
      case SILENT, IDLE -> endInput(Phase.IDLE, refusal);
      case SLOW_HEAD, SLOW_BODY -> endInput(Phase.RECEIVING, refusal);
      case SLOW_READER -> {
        boolean isFirst = late == null;
        late = refusal;
        abort();
        yield isFirst;
      }
      case CONNECTIONS, CLIENT_CONNECTIONS, ROOM, REQUESTS, CLIENT_REQUESTS, HANDSHAKE_FAILED ->
          throw new IllegalArgumentException("no deadline: " + refusal);
    };
  }

  /** Ends the connection for a new one, unless it was used since it was seen idle. */
  boolean endForRoom(Idleness seen) {
    Phase phaseSeen = seen.kind() == Activity.Kind.HEAD ? Phase.RECEIVING : Phase.IDLE;
    return watch.isStill(seen) && endInput(phaseSeen, HttpRefusal.ROOM);
  }

  private boolean endInput(Phase expected, HttpRefusal refusal) {
    if (!phase.compareAndSet(expected, Phase.ENDED)) {
      return false;
    }
    late = refusal;
    endInput();
    return true;
  }

  /** Ends the input unless a request was read and its response is not yet written. */
  void endUnlessResponding() {
    Phase before = phase.getAndUpdate(now -> now == Phase.RESPONDING ? now : Phase.ENDED);
    if (before != Phase.RESPONDING) {
      endInput();
    }
  }

  private void endInput() {
    ahead.inputEnds();
    try {
      transport.shutdownInput();
    } catch (IOException closed) {
      LOG.log(System.Logger.Level.TRACE, "a connection has ended by itself", closed);
    }
  }

  /** Closes the connection, whatever it does. */
  void abort() {
    try {
      transport.reset();
    } catch (IOException closed) {
      LOG.log(System.Logger.Level.TRACE, "a connection has ended by itself", closed);
    }
  }
}
