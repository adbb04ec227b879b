package io.nereid.server.grpc.limits;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Accepted connections that wait for their event loop. To begin with HTTP/2 takes an event loop
 * many times as long as a request, and hundreds of connections may come at once; so only {@link
 * #MAX_STARTING} of them start at a time, and requests are served between them. For one thread.
 */
public final class ConnectionStarts {
  /** Connections that start at a time. */
  public static final int MAX_STARTING = 8;

  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int starting;

  /** Runs {@code start}, now or later, in the order of these calls. */
  public void add(Runnable start) {
    waiting.add(start);
    startNext();
  }

  /** Tells that a connection has started, or will not. Not to be called by a start itself. */
  public void started() {
    starting--;
    startNext();
  }

  private void startNext() {
    while (starting < MAX_STARTING && !waiting.isEmpty()) {
      starting++;
      waiting.remove().run();
    }
  }
}
