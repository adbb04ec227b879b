package io.nereid.engine.model.control.operation;

import io.nereid.engine.memory.ClientKey;
import java.time.Duration;
import java.util.Optional;

/**
 * The longest that the load of a version may take.
 *
 * @param any of any version, and the longest that its close may take; zero for no limit
 * @param client of a version that a client asks for, where that is shorter; zero for no other limit
 */
public record LoadLimits(Duration any, Duration client) {
  /**
   * Longer than the compilation of a large model for a GPU; for clients, longer than most wait for
   * a response.
   */
  public static final LoadLimits DEFAULT =
      new LoadLimits(Duration.ofMinutes(30), Duration.ofMinutes(5));

  public Duration of(Optional<ClientKey> asking) {
    return isOfClients(asking) ? client : any;
  }

  private boolean isOfClients(Optional<ClientKey> asking) {
    return asking.isPresent() && !client.isZero() && (any.isZero() || client.compareTo(any) < 0);
  }

  /** The limit as the operator has set it; the stop of a server is shorter. */
  public String text(Optional<ClientKey> asking) {
    Duration limit = of(asking);
    return limit.isZero()
        ? "the stop of the server"
        : (isOfClients(asking) ? "--client-load-timeout-secs=" : "--model-load-timeout-secs=")
            + limit.toSeconds();
  }
}
