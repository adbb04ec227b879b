package example;

import io.nereid.engine.Engine;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Up while the engine accepts requests and all models are ready; in Spring Boot 4. */
@Component
class EngineHealthIndicator implements HealthIndicator {
  private final Engine engine;

  EngineHealthIndicator(Engine engine) {
    this.engine = engine;
  }

  @Override
  public Health health() {
    return (engine.isReady() ? Health.up() : Health.outOfService())
        .withDetail("models", engine.index().size())
        .build();
  }
}
