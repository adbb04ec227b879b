package io.nereid.server.frontend;

import java.io.IOException;
import java.time.Duration;

/**
 * A protocol that is served at an address. One thread starts it and one, perhaps another, stops it;
 * the rest is called by any thread.
 */
public interface FrontEnd {
  /**
   * Starts to listen. Called once at most.
   *
   * @return this
   * @throws IOException if the address cannot be bound
   */
  FrontEnd start() throws IOException;

  /** The bound port; once it has started. */
  int port();

  /** Whether its threads do their work. */
  boolean isWorking();

  /** Refuses new connections, or what comes on them; open ones are served on. */
  void refuseConnections();

  /**
   * Stops to listen, and lets requests finish. Also of one that has not started.
   *
   * @param grace how long they may take
   * @return whether none was cut off
   */
  boolean stop(Duration grace);
}
