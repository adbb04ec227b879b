package io.nereid.server.grpc.connection;

import java.util.concurrent.atomic.AtomicInteger;

/** The calls in flight of all connections, and their limit. Thread-safe. */
final class CallCount {
  private final AtomicInteger calls = new AtomicInteger();
  private final int max;

  CallCount(int max) {
    this.max = max;
  }

  void add() {
    calls.incrementAndGet();
  }

  void remove() {
    calls.decrementAndGet();
  }

  int get() {
    return calls.get();
  }

  /** Whether there are more calls than permitted, so that the newest is to be refused. */
  boolean isExceeded() {
    return calls.get() > max;
  }
}
