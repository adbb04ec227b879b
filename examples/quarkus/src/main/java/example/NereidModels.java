package example;

import io.nereid.engine.Engine;
import io.nereid.micrometer.EngineMetrics;
import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;

/**
 * The engine of the application, and its front ends if they are wanted. When the application ends,
 * Quarkus' web server stops first, behind the requests that it has; then this bean is destroyed:
 * front ends and engine refuse what is new, and finish what they have.
 */
@Startup
@Singleton
class NereidModels {
  private final Engine engine;
  private final AutoCloseable owner;

  @Inject
  NereidModels(NereidProperties properties) throws IOException {
    if (properties.frontEnds().enabled()) {
      NereidServer server = server(properties);
      engine = server.engine();
      owner = server;
      System.getLogger("example")
          .log(
              System.Logger.Level.INFO,
              "models at ports {0} and {1}",
              Integer.toString(server.httpPort()),
              Integer.toString(server.grpcPort()));
    } else {
      engine =
          Engine.builder()
              .repository(properties.repository())
              .startWith(properties.models().toArray(String[]::new))
              .open();
      owner = engine;
    }
  }

  private static NereidServer server(NereidProperties properties) throws IOException {
    NereidProperties.FrontEnds wanted = properties.frontEnds();
    ServerBuilder builder =
        NereidServer.builder()
            .repository(properties.repository())
            .http(wanted.httpPort())
            .grpc(wanted.grpcPort())
            .withoutMetrics() // Micrometer has them
            .option("http-address", wanted.address())
            .option("grpc-address", wanted.address())
            .option("model-control-mode", "explicit")
            .option("exit-timeout-secs", Long.toString(properties.exitTimeout().toSeconds()));
    properties.models().forEach(model -> builder.option("load-model", model));
    return builder.start();
  }

  @Produces
  @Singleton
  Engine engine() {
    return engine;
  }

  /** Quarkus binds it to its registry. */
  @Produces
  @Singleton
  EngineMetrics metrics() {
    return new EngineMetrics(engine);
  }

  @PreDestroy
  void close() throws Exception {
    owner.close();
  }
}
