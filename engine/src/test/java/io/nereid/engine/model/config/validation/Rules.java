package io.nereid.engine.model.config.validation;

import io.nereid.protocol.config.ModelConfig;
import java.util.function.BiConsumer;

/** Applies rules as a server does: the first violated one is thrown. */
public final class Rules {
  private Rules() {}

  public static void apply(BiConsumer<ModelConfig, ConfigProblems> rules, ModelConfig config) {
    var problems = new ConfigProblems();
    rules.accept(config, problems);
    problems.throwFirst(ConfigSource.NO_FILE);
  }
}
