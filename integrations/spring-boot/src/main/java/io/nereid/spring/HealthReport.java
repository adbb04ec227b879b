package io.nereid.spring;

import io.nereid.client.NereidClient;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelHealth;
import java.time.Duration;
import java.util.Map;

/**
 * What a check of health has found, without the types that differ between Spring Boot 3 and 4.
 *
 * @param isUp whether requests can be sent
 */
record HealthReport(boolean isUp, Map<String, Object> details) {
  /** For how long a check waits for a server. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** An engine is up while it accepts requests and its models are ready. */
  static HealthReport of(Engine engine) {
    ModelHealth models = engine.health();
    return new HealthReport(
        engine.isReady(), Map.of("serving", models.serving(), "notReady", models.notReady()));
  }

  /** A client is up while its server is ready. */
  static HealthReport of(NereidClient client) {
    return new HealthReport(
        client.withDeadline(DEADLINE).server().isReady(), Map.of("address", client.address()));
  }
}
