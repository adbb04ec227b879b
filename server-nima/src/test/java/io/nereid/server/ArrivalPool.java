package io.nereid.server;

import io.nereid.server.memory.ArenaAllocator;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.SlabPool;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A pool that remembers when each size was first asked for. Where every request has a size of its
 * own, that is when the server began to read it.
 */
final class ArrivalPool implements BufferPool {
  private final SlabPool pool = new SlabPool(new ArenaAllocator(), 1L << 30);
  private final Map<Long, Long> firstNanos = new ConcurrentHashMap<>();

  /** When a lease of that size was first asked for, by {@link System#nanoTime}. */
  long firstNanos(long byteSize) {
    return Objects.requireNonNull(firstNanos.get(byteSize));
  }

  @Override
  public Lease lease(long byteSize) {
    firstNanos.putIfAbsent(byteSize, System.nanoTime());
    return pool.lease(byteSize);
  }

  @Override
  public long outstanding() {
    return pool.outstanding();
  }

  @Override
  public long heldBytes() {
    return pool.heldBytes();
  }

  @Override
  public void close() {
    pool.close();
  }
}
