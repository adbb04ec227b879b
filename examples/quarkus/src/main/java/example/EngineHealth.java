package example;

import io.nereid.engine.Engine;
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
    return HealthCheckResponse.named("engine")
        .status(engine.isReady())
        .withData("models", engine.index().size())
        .build();
  }
}
