package io.nereid.engine.memory.region;

import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.HashMap;
import java.util.Map;

/**
 * How many regions there are, in all and of each client. A client may have as many as it leaves
 * free for others, and one in any case. Thread-safe.
 */
final class RegionCounts {
  private final int limit;
  private final Map<ClientKey, Integer> clients = new HashMap<>();
  private int all;

  RegionCounts(int limit) {
    this.limit = limit;
  }

  /**
   * Counts a region.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there would be too many
   */
  synchronized void add(String name, ClientKey client) {
    int own = clients.getOrDefault(client, 0);
    int free = limit - all;
    if (free <= 0) {
      throw refused(name, "there are %d regions, the limit of the server".formatted(limit));
    }
    if (own > 0 && own + 1 >= free) {
      throw refused(
          name,
          "the client has %d regions, and leaves %d of the server's %d free for others"
              .formatted(own, free, limit));
    }
    all++;
    clients.put(client, own + 1);
  }

  private static InferenceException refused(String name, String reason) {
    return new InferenceException(
        StatusCode.RESOURCE_EXHAUSTED,
        "shared memory region '%s' can not be registered: %s".formatted(name, reason));
  }

  /** Counts a region no longer. */
  synchronized void remove(ClientKey client) {
    all--;
    clients.computeIfPresent(client, (_, own) -> own == 1 ? null : own - 1);
  }
}
