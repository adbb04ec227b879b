package io.nereid.server.http.inference;

import io.nereid.engine.memory.ClientCounts;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.server.http.limits.HttpRefusal;

/**
 * The inference requests in flight: they have come whole and have no response. A client may have as
 * many as it leaves free for others. Thread-safe.
 */
public final class InFlightLimit {
  private final int max;
  private final Refusals<HttpRefusal> refusals;
  private final ClientCounts inFlight;

  public InFlightLimit(int max, Refusals<HttpRefusal> refusals) {
    this.max = max;
    this.refusals = refusals;
    this.inFlight = ClientCounts.ofFree(max);
  }

  public int max() {
    return max;
  }

  /**
   * Begins a request; {@link #end} follows.
   *
   * @throws InferenceException if too many are in flight; then {@link #end} does not follow
   */
  void begin(ClientKey client) {
    Excess excess = inFlight.add(client);
    if (excess == Excess.OF_ALL) {
      refusals.count(HttpRefusal.REQUESTS, client.text());
      throw InferenceException.exhausted(
          "%d inference requests are in flight over HTTP (--http-max-requests)".formatted(max));
    }
    if (excess == Excess.OF_CLIENT) {
      refusals.count(HttpRefusal.CLIENT_REQUESTS, client.text());
      throw InferenceException.exhausted(
          "the client has more inference requests in flight over HTTP than are free for others, of"
              + " %d (--http-max-requests)".formatted(max));
    }
  }

  void end(ClientKey client) {
    inFlight.remove(client);
  }
}
