package io.nereid.server.grpc.connection;

import io.nereid.engine.memory.ClientKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections without a call that are closed for new ones: those first whose client has most of
 * them, and of these the ones that have had no call for the longest time. For the thread that
 * accepts.
 */
final class IdleConnections {
  /** So many are known when one must be closed. */
  static final int KNOWN = 256;

  /** A connection that has had no call for less time may be about to be used. */
  static final Duration LEAST = Duration.ofSeconds(1);

  private static final Duration INTERVAL = Duration.ofMillis(250);

  private final Collection<GrpcConnection> open;
  private final LongSupplier clock;
  private Queue<GrpcConnection> first = new ArrayDeque<>();
  private long lookedNanos;

  /**
   * @param open the open connections, a view of them
   * @param clock nanoseconds from any origin
   */
  IdleConnections(Collection<GrpcConnection> open, LongSupplier clock) {
    this.open = open;
    this.clock = clock;
    lookedNanos = clock.getAsLong() - INTERVAL.toNanos();
  }

  private record Idle(GrpcConnection connection, long nanos) {}

  /** Looks at all connections, unless it has done so just before. */
  void look() {
    long now = clock.getAsLong();
    if (now - lookedNanos < INTERVAL.toNanos()) {
      return;
    }
    lookedNanos = now;
    Map<ClientKey, Integer> counts = new HashMap<>();
    List<Idle> idle = new ArrayList<>();
    for (GrpcConnection connection : open) {
      long nanos = connection.use().look(now);
      if (nanos >= 0) {
        counts.merge(connection.client(), 1, Integer::sum);
      }
      if (nanos >= LEAST.toNanos()) {
        idle.add(new Idle(connection, nanos));
      }
    }
    Comparator<Idle> fewestFirst =
        Comparator.comparingInt(each -> counts.getOrDefault(each.connection().client(), 0));
    first = new ArrayDeque<>();
    idle.stream()
        .sorted(fewestFirst.thenComparingLong(Idle::nanos).reversed())
        .limit(KNOWN)
        .forEach(each -> first.add(each.connection()));
  }

  /** The next to be closed, which is known no longer; null if there is none. */
  @Nullable GrpcConnection poll() {
    for (GrpcConnection next = first.poll(); next != null; next = first.poll()) {
      if (next.use().isIdle()) {
        return next;
      }
    }
    return null;
  }
}
