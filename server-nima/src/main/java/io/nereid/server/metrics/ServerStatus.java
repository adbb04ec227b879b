package io.nereid.server.metrics;

import java.time.Instant;
import java.util.Map;

/**
 * What the server is, apart from its models.
 *
 * @param version of this build
 * @param isReady as a probe is told
 * @param expiries when the first certificate in use expires, by listener; empty without TLS
 * @param lostLogLines how many lines of the log could not be written
 */
public record ServerStatus(
    String version, boolean isReady, Map<String, Instant> expiries, long lostLogLines) {
  public ServerStatus {
    expiries = Map.copyOf(expiries);
  }
}
