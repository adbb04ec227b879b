package io.nereid.server.grpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * The buffers of gRPC's connections: those of Netty's pool, as grpc-java configures it, except for
 * messages that are lent. Thread-safe.
 */
public final class LendingAllocator extends PooledByteBufAllocator {
  /** Chunks of 2 MiB, as there are several for each processor. */
  private static final int MAX_ORDER = 8;

  public LendingAllocator() {
    super(
        defaultPreferDirect(),
        defaultNumHeapArena(),
        defaultNumDirectArena(),
        defaultPageSize(),
        MAX_ORDER,
        defaultSmallCacheSize(),
        defaultNormalCacheSize(),
        defaultUseCacheForAllThreads());
  }

  /** What grpc-java calls for a part of a message to send. */
  @Override
  public ByteBuf buffer(int initialCapacity, int maxCapacity) {
    ByteBuf lent = LentMessage.buffer(this);
    return lent == null ? super.buffer(initialCapacity, maxCapacity) : lent;
  }
}
