package io.nereid.server.http.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a connection does, and how many bytes it has moved. The connection's thread tells; the
 * monitor looks at it from time to time, so that a request costs no look at a clock.
 */
public final class Activity {
  /** What the client has to do next, or the server. */
  public enum Kind {
    /** Nothing: the connection is new. */
    NEW(0),
    /** Nothing: the connection waits for another request. */
    IDLE(1),
    /** Send a head. */
    HEAD(2),
    /** Send a body. */
    BODY(3),
    /** Wait for the server. */
    RESPONSE(4),
    /** Read a response. */
    WRITING(5);

    private final int number;

    Kind(int number) {
      this.number = number;
    }
  }

  private static final int KIND_BITS = 3;
  private static final Kind[] KINDS = Kind.values();

  /** How often the activity has changed, and its kind. */
  private final AtomicLong state = new AtomicLong();

  private final AtomicLong bytes = new AtomicLong();

  /** Begins something. */
  public void begin(Kind kind) {
    long changes = (state.getPlain() >>> KIND_BITS) + 1;
    state.setRelease((changes << KIND_BITS) | kind.number);
  }

  /** Counts bytes that the client has sent or taken. */
  public void moved(long count) {
    bytes.setRelease(bytes.getPlain() + count);
  }

  /** A number that differs after each {@link #begin}. */
  long state() {
    return state.getAcquire();
  }

  long bytes() {
    return bytes.getAcquire();
  }

  static Kind kind(long state) {
    return KINDS[(int) state & ((1 << KIND_BITS) - 1)];
  }
}
