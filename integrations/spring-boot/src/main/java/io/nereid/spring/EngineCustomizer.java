package io.nereid.spring;

import io.nereid.engine.EngineBuilder;

/**
 * A bean that sets what {@link EngineProperties} do not have. It is called before the engine opens,
 * unless the engine has front ends, whose options are properties.
 */
@FunctionalInterface
public interface EngineCustomizer {
  /** Changes settings; of the same setting the last call counts. */
  void customize(EngineBuilder builder);
}
