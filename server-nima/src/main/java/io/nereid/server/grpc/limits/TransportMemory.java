package io.nereid.server.grpc.limits;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The budget of what lies in gRPC's own buffers, or waits to get there: messages that have come in
 * part or are not parsed, and responses that their clients have not read. Netty can allocate as
 * much as the heap has, by default; the budget is half of that. Each client has a share of it, as
 * of {@link RequestMemory}. Thread-safe.
 */
public final class TransportMemory {
  /** Bytes of a call that are not counted, as most calls have no more. */
  public static final long UNCOUNTED = RequestMemory.UNCOUNTED;

  private final RequestMemory budget;

  /** Bytes that are counted until this is closed; a second close does nothing. */
  public static final class Reservation implements AutoCloseable {
    private final RequestMemory budget;
    private final ClientKey client;
    private final long byteSize;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Reservation(RequestMemory budget, ClientKey client, long byteSize) {
      this.budget = budget;
      this.client = client;
      this.byteSize = byteSize;
    }

    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        budget.release(client, byteSize);
      }
    }
  }

  public TransportMemory() {
    this(Runtime.getRuntime().maxMemory() / 2);
  }

  public TransportMemory(long maxByteSize) {
    budget = new RequestMemory(maxByteSize, Long.MAX_VALUE);
  }

  /**
   * Counts bytes of a client.
   *
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED if there is no memory left now
   */
  public Reservation reserve(ClientKey client, long byteSize) {
    acquire(client, byteSize);
    return new Reservation(budget, client, byteSize);
  }

  public void acquire(ClientKey client, long byteSize) {
    budget.acquire(client, byteSize);
  }

  public void release(ClientKey client, long byteSize) {
    budget.release(client, byteSize);
  }

  /** Bytes that are counted now. */
  public long usedBytes() {
    return budget.usedBytes();
  }
}
