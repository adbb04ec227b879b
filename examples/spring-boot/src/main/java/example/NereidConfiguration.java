package example;

import io.nereid.engine.Engine;
import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The engine of the application, and its front ends if they are wanted. When the application ends,
 * Spring's web server stops first, behind the requests that it has; then these beans are destroyed:
 * front ends and engine refuse what is new, and finish what they have.
 */
@Configuration
class NereidConfiguration {
  @Bean(destroyMethod = "close")
  @ConditionalOnProperty("nereid.front-ends.enabled")
  NereidServer server(NereidProperties properties) throws IOException {
    NereidProperties.FrontEnds wanted = properties.frontEnds();
    ServerBuilder builder =
        NereidServer.builder()
            .repository(Path.of(properties.repository()))
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

  @Bean(destroyMethod = "close") // without effect for the engine of a server
  Engine engine(NereidProperties properties, ObjectProvider<NereidServer> servers)
      throws IOException {
    NereidServer server = servers.getIfAvailable();
    return server != null
        ? server.engine()
        : Engine.builder()
            .repository(Path.of(properties.repository()))
            .startWith(properties.models().toArray(String[]::new))
            .open();
  }
}
