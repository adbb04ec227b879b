package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientCounts;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.limits.Activity.Kind;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.ConnectionWatch;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.limits.Idleness;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * The open connections of a listener: how many there may be, their deadlines, and their end when
 * the server stops. Thread-safe.
 */
final class OpenConnections {
  /** How long a request whose bytes are under way may take to arrive once the server stops. */
  private static final Duration ARRIVAL = Duration.ofMillis(100);

  /** How long a client may take to read a response once the server stops, if it is not slow. */
  private static final Duration UNREAD = Duration.ofSeconds(2);

  /** How long responses may take that say that a request had no time left. */
  private static final Duration FAREWELL = Duration.ofMillis(200);

  /** So many connections that may be closed are known when one must be. */
  private static final int IDLE_KNOWN = 256;

  private final Set<ConnectionState> connections = ConcurrentHashMap.newKeySet();
  private final DisconnectMonitor monitor;
  private final ConnectionLimits limits;
  private final ClientCounts counts;
  private final Refusals<HttpRefusal> refusals;

  /** Has a permit for each connection that may be told why it is refused. */
  private final Semaphore told;

  /** Connections that may be closed for new ones, the first first. */
  private volatile Queue<Idle> idleFirst = new ConcurrentLinkedQueue<>();

  /** The number of connections that wait for a request. */
  private volatile int idle;

  private volatile boolean refusing;
  private volatile boolean stopping;

  /** Whether a check has seen that the server stops, and when. */
  private boolean stopSeen;

  private long stopSeenNanos;

  /** The limits some time after the server has begun to stop. */
  private final ConnectionLimits limitsOfStop;

  OpenConnections(
      DisconnectMonitor monitor, ConnectionLimits limits, Refusals<HttpRefusal> refusals) {
    this.monitor = monitor;
    this.limits = limits;
    this.limitsOfStop = limits.withMaxWriteTimeout(UNREAD);
    this.counts = ClientCounts.fixed(limits.maxConnections(), limits.maxConnectionsPerClient());
    this.refusals = refusals;
    this.told = new Semaphore(limits.refusedAtOnce());
  }

  /** A connection, and how a check has found it. */
  private record Idle(ConnectionState connection, Idleness seen) {}

  /** The number of open connections. */
  int count() {
    return counts.all();
  }

  /** Whether new connections are refused without reading, since the server stops. */
  boolean isRefusing() {
    return refusing;
  }

  /** Refuses connections that are made from now on. */
  void refuse() {
    refusing = true;
  }

  /**
   * Admits a new connection, or refuses it. Called by the thread that accepts, so that a flood does
   * not cost a thread for each.
   *
   * @return empty if the connection is to be reset, since others are being told why they are
   *     refused
   */
  Optional<ConnectionAdmission> admit(ClientKey client) {
    Excess excess = counts.add(client);
    while (excess == Excess.OF_ALL && makeRoom()) {
      excess = counts.add(client);
    }
    if (excess == null) {
      return Optional.of(
          new ConnectionAdmission(client, Optional.empty(), () -> counts.remove(client)));
    }
    HttpRefusal refusal =
        excess == Excess.OF_ALL ? HttpRefusal.CONNECTIONS : HttpRefusal.CLIENT_CONNECTIONS;
    refusals.count(refusal, client.text());
    return told.tryAcquire()
        ? Optional.of(new ConnectionAdmission(client, Optional.of(refusal), told::release))
        : Optional.empty();
  }

  /** Ends a connection that waits for its client; returns whether there was one. */
  private boolean makeRoom() {
    Queue<Idle> candidates = idleFirst;
    for (var next = candidates.poll(); next != null; next = candidates.poll()) {
      if (next.connection().endForRoom(next.seen())) {
        refusals.count(HttpRefusal.ROOM, next.connection().client().text());
        next.connection().admission().close();
        return true;
      }
    }
    return false;
  }

  /** Adds a connection that was admitted and is served from now on. */
  void add(ConnectionState connection) {
    connections.add(connection);
    monitor.add(connection.ahead());
    if (stopping) {
      connection.endUnlessResponding();
    }
  }

  /**
   * Ends the connections whose clients have taken too long, and looks which wait for a request.
   * Called by the monitor.
   */
  synchronized void check(long now) {
    ConnectionLimits present = isStopLate(now) ? limitsOfStop : limits;
    List<Idle> found = new ArrayList<>();
    for (ConnectionState connection : connections) {
      limits.maxAge().ifPresent(age -> connection.age(age, now));
      ConnectionWatch watch = connection.watch();
      watch.check(present, now).ifPresent(refusal -> end(connection, refusal));
      watch.idleness(now).ifPresent(seen -> found.add(new Idle(connection, seen)));
    }
    idle = (int) found.stream().filter(each -> each.seen().kind() != Kind.HEAD).count();
    if (limits.maxConnections() - counts.all() < IDLE_KNOWN) {
      idleFirst = inOrderOfClose(found);
    }
  }

  /** Whether clients have had time since the server began to stop. Called with the lock. */
  private boolean isStopLate(long now) {
    if (!stopping) {
      return false;
    }
    if (!stopSeen) {
      stopSeen = true;
      stopSeenNanos = now;
    }
    return now - stopSeenNanos >= UNREAD.toNanos();
  }

  /** The number of connections that wait for a request, as the last check has found it. */
  int idle() {
    return idle;
  }

  /** A client and the server did not agree on TLS. */
  void handshakeFailed(ConnectionState connection, IOException failure) {
    refusals.count(
        HttpRefusal.HANDSHAKE_FAILED, connection.client().text() + ": " + failure.getMessage());
  }

  private void end(ConnectionState connection, HttpRefusal refusal) {
    if (connection.end(refusal)) {
      refusals.count(refusal, connection.client().text());
    }
  }

  /**
   * The connections that are closed first for new ones come first: of those whose clients have sent
   * no whole request the ones of the client that has most of them, then those that have waited for
   * another request for the longest time.
   */
  private static Queue<Idle> inOrderOfClose(List<Idle> waiting) {
    Map<ClientKey, Integer> unfinished = new HashMap<>();
    for (Idle each : waiting) {
      if (each.seen().isUnfinished()) {
        unfinished.merge(each.connection().client(), 1, Integer::sum);
      }
    }
    Comparator<Idle> fewestFirst =
        Comparator.comparingInt(each ->
            each.seen().isUnfinished()
                ? unfinished.getOrDefault(each.connection().client(), 0)
                : 0);
    return waiting.stream()
        .filter(each -> each.seen().mayMakeRoom())
        .sorted(fewestFirst.thenComparingLong(each -> each.seen().nanos()).reversed())
        .limit(IDLE_KNOWN)
        .collect(Collectors.toCollection(ConcurrentLinkedQueue::new));
  }

  /** Ends the admission of a connection, and removes it if it was added. */
  void remove(ConnectionState connection) {
    monitor.remove(connection.ahead());
    connections.remove(connection);
    connection.admission().close();
    if (stopping) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Whether responses end their connections. */
  boolean isStopping() {
    return stopping;
  }

  /**
   * Ends all connections: those without a whole request at once, those with one behind its
   * response, and all when {@code grace} is over, with a response that says so where one can be. A
   * client that does not read its response has a shorter time to do so than otherwise; that it is
   * cut off then is its own doing.
   *
   * @return whether no response was cut off
   */
  boolean stop(Duration grace) throws InterruptedException {
    refusing = true;
    stopping = true;
    long deadline = System.nanoTime() + grace.toNanos();
    awaitEnd(Math.min(deadline, System.nanoTime() + ARRIVAL.toNanos()));
    connections.forEach(ConnectionState::endUnlessResponding);
    boolean inTime = awaitEnd(deadline);
    connections.forEach(connection -> connection.ahead().expire());
    awaitEnd(System.nanoTime() + FAREWELL.toNanos());
    connections.forEach(ConnectionState::abort);
    return inTime;
  }

  private synchronized boolean awaitEnd(long deadline) throws InterruptedException {
    while (!connections.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000 + 1);
    }
    return true;
  }
}
