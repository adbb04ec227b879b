package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import java.util.List;

/** The rules for a part of a configuration. Used by one thread. */
abstract class ConfigRules {
  final ModelConfig config;
  final String model;
  final ConfigProblems problems;

  ConfigRules(ModelConfig config, ConfigProblems problems) {
    this.config = config;
    this.model = config.getName();
    this.problems = problems;
  }

  /** Requires what the message ends with the model for; returns {@code condition}. */
  final boolean require(boolean condition, FieldPath path, String message) {
    return condition || problems.require(false, path, "%s for %s".formatted(message, model));
  }

  /** Requires the preferred batch sizes of a scheduler to be some of the model's. */
  final void requireSizes(List<Integer> sizes, FieldPath scheduler, String subject) {
    for (int i = 0; i < sizes.size(); i++) {
      FieldPath path = scheduler.element("preferred_batch_size", i);
      require(sizes.get(i) > 0, path, "%s must be positive".formatted(subject));
      require(
          sizes.get(i) <= config.getMaxBatchSize(),
          path,
          "%s must be <= max batch size".formatted(subject));
    }
  }
}
