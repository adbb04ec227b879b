package example;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelHealth;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Up while the engine accepts requests and all models are ready. */
@Readiness
@Singleton
class EngineHealth implements HealthCheck {
  private final Engine engine;

  EngineHealth(Engine engine) {
    this.engine = engine;
  }

  @Override
  public HealthCheckResponse call() {
    ModelHealth models = engine.health();
    return HealthCheckResponse.named("engine")
        .status(engine.isReady())
        .withData("serving", models.serving())
        .withData("notReady", String.join("; ", models.notReady()))
        .build();
  }
}
