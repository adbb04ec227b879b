package io.nereid.spring;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.server.NereidServer;
import io.nereid.server.ServerBuilder;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The engine of an application, with front ends if they are enabled, unless the application has an
 * engine of its own. Needs {@code nereid.engine.repository}.
 *
 * <p>When the application ends, its web server stops first, behind the requests that it has. Then
 * the beans are closed: front ends and engine refuse what is new, and finish what they have.
 */
@AutoConfiguration
@ConditionalOnClass(Engine.class)
@ConditionalOnProperty("nereid.engine.repository")
@ConditionalOnMissingBean(Engine.class)
@EnableConfigurationProperties(EngineProperties.class)
public class NereidEngineAutoConfiguration {
  private static final String FRONT_ENDS = "nereid.engine.front-ends.enabled";
  private static final String SERVER = "io.nereid.server.NereidServer";

  /** An engine without sockets. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = FRONT_ENDS, havingValue = "false", matchIfMissing = true)
  static class Alone {
    @Bean(destroyMethod = "close")
    Engine nereidEngine(EngineProperties properties, ObjectProvider<EngineCustomizer> customizers)
        throws IOException {
      EngineBuilder builder =
          Engine.builder()
              .repository(Path.of(properties.repository()))
              .startWith(properties.models().toArray(String[]::new));
      customizers.orderedStream().forEach(each -> each.customize(builder));
      return builder.open();
    }
  }

  /** An engine behind front ends. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(FRONT_ENDS)
  @ConditionalOnClass(NereidServer.class)
  static class WithFrontEnds {
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    NereidServer nereidServer(EngineProperties properties) throws IOException {
      EngineProperties.FrontEnds wanted = properties.frontEnds();
      ServerBuilder builder =
          NereidServer.builder()
              .option("model-repository", properties.repository())
              .http(wanted.httpPort())
              .grpc(wanted.grpcPort())
              .withoutMetrics() // Micrometer has them
              .option("http-address", wanted.address())
              .option("grpc-address", wanted.address())
              .option("model-control-mode", "explicit")
              .option("exit-timeout-secs", Long.toString(wanted.exitTimeout().toSeconds()));
      properties.models().forEach(model -> builder.option("load-model", model));
      wanted.options().forEach(builder::option);
      return builder.start();
    }

    @Bean(destroyMethod = "") // it is the server's
    Engine nereidEngine(NereidServer server) {
      return server.engine();
    }
  }

  /** Says what is missing. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(FRONT_ENDS)
  @ConditionalOnMissingClass(SERVER)
  static class WithoutServer {
    @Bean
    Engine nereidEngine() {
      throw new IllegalStateException(
          FRONT_ENDS + " is true, and io.nereid:nereid-server-nima is not on the class path");
    }
  }
}
