package io.nereid.engine.memory;

import io.nereid.engine.telemetry.refusal.RefusalCounter;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget of memory that requests have, from the first byte of a body until the inputs are
 * released: one for the server, and a share of it for each client. Thread-safe.
 *
 * <p>A client may have as much as is free for others ("dynamic thresholds" of shared-memory
 * switches; A. Choudhury and E. Hahne, 1998): alone half of the budget, two that take all they get
 * a third each, and a further client always finds as much as each of them has. A fixed limit may
 * lower that.
 *
 * <p>Leases of {@link #UNCOUNTED} bytes or less are not counted, so that small requests pay
 * nothing. Queues and connections have limits of their own, which bound their sum.
 */
public final class RequestMemory {
  /** The largest lease that is not counted. */
  public static final long UNCOUNTED = 64 << 10;

  /** The most that is leased for bytes that have not come, if the budget has much room. */
  private static final long MOST_AHEAD = 1 << 20;

  /** How many bodies fit into the free part of the budget before any of their bytes has come. */
  private static final long BODIES_AHEAD = 4096;

  private final long maxByteSize;
  private final long maxClientByteSize;
  private final AtomicLong used = new AtomicLong();
  private final RefusalCounter refusedForServer = new RefusalCounter(System::nanoTime);
  private final RefusalCounter refusedForClient = new RefusalCounter(System::nanoTime);

  /** What each client has of the budget; clients that have nothing are absent. */
  private final ConcurrentMap<ClientKey, Long> clients = new ConcurrentHashMap<>();

  /**
   * @param maxByteSize the limit of all requests together
   * @param maxClientByteSize the limit of a client, if it is less than its share
   */
  public RequestMemory(long maxByteSize, long maxClientByteSize) {
    this.maxByteSize = maxByteSize;
    this.maxClientByteSize = maxClientByteSize;
  }

  /** A source for the requests of a client: leases of the pool, counted here until their close. */
  public LeaseSource of(LeaseSource pool, ClientKey client) {
    return new Share(pool, client);
  }

  /** Bytes that are counted now. */
  public long usedBytes() {
    return used.get();
  }

  public long limitBytes() {
    return maxByteSize;
  }

  /** Leases refused because of the server's budget. */
  public long refusedForServer() {
    return refusedForServer.sum();
  }

  /** Leases refused because of a client's share. */
  public long refusedForClient() {
    return refusedForClient.sum();
  }

  /**
   * Counts memory that is no lease, until the result is closed.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there is none left now
   */
  public Reservation reserve(ClientKey client, long byteSize) {
    acquire(client, byteSize);
    return new Reservation(client, byteSize);
  }

  /**
   * Counts memory that is no lease.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there is none left now
   */
  public void acquire(ClientKey client, long byteSize) {
    long after = acquire(byteSize);
    if (after < 0) {
      throw refused(
          refusedForServer,
          "request memory is exhausted: %d bytes wanted, %d of %d in use"
              .formatted(byteSize, used.get(), maxByteSize));
    }
    long share = share(after);
    long own = count(client, byteSize);
    if (own > share) {
      release(client, byteSize);
      throw refused(
          refusedForClient,
          "the client's share of request memory is exhausted: %d bytes wanted, %d of %d in use"
              .formatted(byteSize, own - byteSize, share));
    }
  }

  /**
   * Counts memory that is no lease, if there is any left now. Nothing is refused otherwise: the
   * caller has another way.
   */
  public boolean tryAcquire(ClientKey client, long byteSize) {
    long after = acquire(byteSize);
    if (after < 0) {
      return false;
    }
    if (count(client, byteSize) > share(after)) {
      release(client, byteSize);
      return false;
    }
    return true;
  }

  /** Counts bytes for a client that are in use; returns what it has. */
  private long count(ClientKey client, long byteSize) {
    try {
      return clients.merge(client, byteSize, Long::sum);
    } catch (Throwable noMemory) {
      used.addAndGet(-byteSize);
      throw noMemory;
    }
  }

  /** What a client may have once so many bytes are in use. */
  private long share(long usedBytes) {
    return Math.min(maxClientByteSize, maxByteSize - usedBytes);
  }

  private static InferenceException refused(RefusalCounter counter, String message) {
    counter.count(Level.WARNING, () -> message);
    return InferenceException.exhausted(message);
  }

  /** Returns what is in use with these bytes; -1 if there is no room for them. */
  private long acquire(long byteSize) {
    while (true) {
      long before = used.get();
      if (byteSize > maxByteSize - before) {
        return -1;
      }
      if (used.compareAndSet(before, before + byteSize)) {
        return before + byteSize;
      }
    }
  }

  /** Ends what {@link #acquire} or {@link #tryAcquire} has begun. */
  public void release(ClientKey client, long byteSize) {
    used.addAndGet(-byteSize);
    clients.computeIfPresent(client, (_, own) -> own == byteSize ? null : own - byteSize);
  }

  /** Bytes that are counted until this is closed; a second close does nothing. */
  public final class Reservation implements AutoCloseable {
    private final ClientKey client;
    private final long byteSize;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Reservation(ClientKey client, long byteSize) {
      this.client = client;
      this.byteSize = byteSize;
    }

    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        release(client, byteSize);
      }
    }
  }

  private final class Share implements LeaseSource {
    private final LeaseSource pool;
    private final ClientKey client;

    Share(LeaseSource pool, ClientKey client) {
      this.pool = pool;
      this.client = client;
    }

    @Override
    public Lease lease(long byteSize) {
      if (byteSize <= UNCOUNTED) {
        return pool.lease(byteSize);
      }
      acquire(client, byteSize);
      try {
        return new CountedLease(pool.lease(byteSize), client);
      } catch (RuntimeException | Error exhausted) {
        release(client, byteSize);
        throw exhausted;
      }
    }

    @Override
    public long maxByteSize() {
      long share = Math.min(maxByteSize / 2, maxClientByteSize);
      return Math.min(pool.maxByteSize(), Math.max(share, UNCOUNTED));
    }

    @Override
    public long ahead() {
      long free = (maxByteSize - used.get()) / BODIES_AHEAD;
      return Math.clamp(free, LEAST_AHEAD, MOST_AHEAD);
    }
  }

  private final class CountedLease implements Lease {
    private final Lease lease;
    private final ClientKey client;
    private long more;

    CountedLease(Lease lease, ClientKey client) {
      this.lease = lease;
      this.client = client;
    }

    @Override
    public MemorySegment segment() {
      return lease.segment();
    }

    @Override
    public boolean countMore(long byteSize) {
      acquire(client, byteSize);
      more += byteSize;
      return true;
    }

    @Override
    public void close() {
      long byteSize = lease.segment().byteSize();
      lease.close(); // throws if it is closed already
      release(client, byteSize + more);
    }
  }
}
