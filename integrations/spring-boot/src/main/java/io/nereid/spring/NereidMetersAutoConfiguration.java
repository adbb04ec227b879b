package io.nereid.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import io.nereid.client.NereidClient;
import io.nereid.engine.Engine;
import io.nereid.micrometer.ClientObservation;
import io.nereid.micrometer.EngineMetrics;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The meters of the engine, and the observations of the client's calls. */
@AutoConfiguration(after = NereidEngineAutoConfiguration.class)
@ConditionalOnClass({MeterBinder.class, ObservationRegistry.class})
public class NereidMetersAutoConfiguration {
  /** Spring Boot binds them to its registries of meters. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Engine.class)
  static class OfEngine {
    @Bean(destroyMethod = "close")
    @ConditionalOnSingleCandidate(Engine.class)
    @ConditionalOnMissingBean
    EngineMetrics nereidEngineMetrics(Engine engine) {
      return new EngineMetrics(engine);
    }
  }

  /** An interceptor of the client, as all beans of that type. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(NereidClient.class)
  static class OfClient {
    @Bean
    @ConditionalOnMissingBean
    ClientObservation nereidClientObservation(ObjectProvider<ObservationRegistry> registries) {
      return new ClientObservation(registries.getIfUnique(() -> ObservationRegistry.NOOP));
    }
  }
}
