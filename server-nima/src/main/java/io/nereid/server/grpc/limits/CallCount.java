package io.nereid.server.grpc.limits;

import com.google.common.collect.MapMaker;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The calls in flight of all connections and of each client, and their limit. A client may have as
 * many as are free for others, as of {@link io.nereid.engine.memory.RequestMemory}: alone half of
 * them. Takes no lock for a call. Thread-safe.
 */
public final class CallCount {
  private final int max;
  private final AtomicInteger all = new AtomicInteger();

  /** Of each client, as long as one of its connections has the count. */
  private final ConcurrentMap<ClientKey, AtomicInteger> clients =
      new MapMaker().weakValues().makeMap();

  private final ConcurrentMap<Object, OfLoop> loops = new ConcurrentHashMap<>();

  /**
   * @param max of all clients
   */
  public CallCount(int max) {
    this.max = max;
  }

  /** All calls in flight. */
  public int get() {
    return all.get();
  }

  /** The counts that the calls of a connection change. */
  public OfConnection of(ClientKey client, Object eventLoop) {
    return new OfConnection(
        clients.computeIfAbsent(client, _ -> new AtomicInteger()),
        loops.computeIfAbsent(eventLoop, _ -> new OfLoop()));
  }

  /** The calls of an event loop, which alone uses this. */
  private static final class OfLoop {
    private int calls;
  }

  /** The counts of a connection. For its event loop. */
  public final class OfConnection {
    private final AtomicInteger client;
    private final OfLoop loop;

    private OfConnection(AtomicInteger client, OfLoop loop) {
      this.client = client;
      this.loop = loop;
    }

    public void add() {
      loop.calls++;
      client.incrementAndGet();
      all.incrementAndGet();
    }

    public void remove() {
      loop.calls--;
      client.decrementAndGet();
      all.decrementAndGet();
    }

    /** Whether the event loop has a single call. */
    public boolean isOne() {
      return loop.calls == 1;
    }

    /** Why the newest call is to be refused; null if it is not. */
    public @Nullable Excess excess() {
      int sum = all.get();
      if (sum > max) {
        return Excess.OF_ALL;
      }
      return client.get() > Math.max(1, max - sum) ? Excess.OF_CLIENT : null;
    }
  }
}
