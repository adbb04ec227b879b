package io.nereid.spring;

import io.nereid.client.NereidClient;
import io.nereid.engine.Engine;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health of engine and client in Spring Boot 3; as {@link Boot4HealthAutoConfiguration}. */
@AutoConfiguration(
    after = {NereidEngineAutoConfiguration.class, NereidClientAutoConfiguration.class})
@ConditionalOnClass(HealthIndicator.class)
public class Boot3HealthAutoConfiguration {
  private static Health health(HealthReport report) {
    return (report.isUp() ? Health.up() : Health.outOfService())
        .withDetails(report.details())
        .build();
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Engine.class)
  static class OfEngine {
    @Bean
    @ConditionalOnSingleCandidate(Engine.class)
    @ConditionalOnMissingBean(name = "nereidEngineHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("nereid-engine")
    HealthIndicator nereidEngineHealthIndicator(Engine engine) {
      return () -> health(HealthReport.of(engine));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(NereidClient.class)
  static class OfClient {
    @Bean
    @ConditionalOnSingleCandidate(NereidClient.class)
    @ConditionalOnMissingBean(name = "nereidClientHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("nereid-client")
    HealthIndicator nereidClientHealthIndicator(NereidClient client) {
      return () -> health(HealthReport.of(client));
    }
  }
}
