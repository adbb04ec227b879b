package example;

import io.nereid.engine.Engine;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.stereotype.Component;

/** Up while the engine accepts requests and all models are ready; in Spring Boot 3. */
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
