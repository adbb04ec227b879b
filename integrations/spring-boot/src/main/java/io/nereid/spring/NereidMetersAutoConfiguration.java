package io.nereid.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.nereid.engine.Engine;
import io.nereid.micrometer.EngineMetrics;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The meters of the engine, which Spring Boot binds to its registries of meters. */
@AutoConfiguration(after = NereidEngineAutoConfiguration.class)
@ConditionalOnClass({Engine.class, MeterBinder.class})
public class NereidMetersAutoConfiguration {
  @Bean(destroyMethod = "close")
  @ConditionalOnSingleCandidate(Engine.class)
  @ConditionalOnMissingBean
  EngineMetrics nereidEngineMetrics(Engine engine) {
    return new EngineMetrics(engine);
  }
}
