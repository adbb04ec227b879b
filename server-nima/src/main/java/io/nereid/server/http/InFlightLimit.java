package io.nereid.server.http;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.server.http.limits.HttpRefusal;
import java.util.concurrent.atomic.AtomicInteger;

/** The inference requests in flight: they have come whole and have no response. Thread-safe. */
final class InFlightLimit {
  private final int max;
  private final Refusals<HttpRefusal> refusals;
  private final AtomicInteger inFlight = new AtomicInteger();

  InFlightLimit(int max, Refusals<HttpRefusal> refusals) {
    this.max = max;
    this.refusals = refusals;
  }

  /**
   * Begins a request; {@link #end} follows.
   *
   * @throws InferenceException if too many are in flight; then {@link #end} does not follow
   */
  void begin(ClientKey client) {
    if (inFlight.incrementAndGet() > max) {
      inFlight.decrementAndGet();
      refusals.count(HttpRefusal.REQUESTS, client.text());
      throw InferenceException.exhausted(
          "%d inference requests are in flight over HTTP (--http-max-requests)".formatted(max));
    }
  }

  void end() {
    inFlight.decrementAndGet();
  }
}
