package io.nereid.engine.model.config;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelDynamicBatching;
import io.nereid.protocol.config.ModelQueuePolicy;

/** The rules for {@code dynamic_batching}. */
final class DynamicBatchingValidator {
  private static final FieldPath PATH = FieldPath.of("dynamic_batching");

  private final String model;
  private final ModelDynamicBatching batching;
  private final ConfigProblems problems;

  private DynamicBatchingValidator(ModelConfig config, ConfigProblems problems) {
    this.model = config.getName();
    this.batching = config.getDynamicBatching();
    this.problems = problems;
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new DynamicBatchingValidator(config, problems);
    validator.checkPreferredSizes(config.getMaxBatchSize());
    validator.checkLevels();
    if (config.getDynamicBatching().getPreserveOrdering()) {
      validator.checkPreservedOrdering();
    }
  }

  private void checkPreferredSizes(int maxBatchSize) {
    for (int i = 0; i < batching.getPreferredBatchSizeCount(); i++) {
      int size = batching.getPreferredBatchSize(i);
      FieldPath path = PATH.element("preferred_batch_size", i);
      problems.require(
          size > 0, path, "dynamic batching preferred size must be positive for %s", model);
      problems.require(
          size <= maxBatchSize,
          path,
          "dynamic batching preferred size must be <= max batch size for %s",
          model);
    }
  }

  private void checkLevels() {
    long levels = batching.getPriorityLevels();
    if (levels == 0) {
      return;
    }
    String shown = Long.toUnsignedString(levels);
    problems.require(
        isLevel(batching.getDefaultPriorityLevel(), levels),
        PATH.field("default_priority_level"),
        "default priority level must be in range [1, %s] for %s",
        shown,
        model);
    for (long level : batching.getPriorityQueuePolicyMap().keySet()) {
      problems.require(
          isLevel(level, levels),
          policy(level),
          "priority queue policy must have priority level in range [1, %s] for %s",
          shown,
          model);
    }
  }

  private void checkPreservedOrdering() {
    problems.require(
        Long.compareUnsigned(batching.getPriorityLevels(), 1) <= 0,
        PATH.field("priority_levels"),
        "Only one priority level is allowed when 'preserve_ordering' is true for %s",
        model);
    checkDelay(batching.getDefaultQueuePolicy(), PATH.field("default_queue_policy"));
    batching
        .getPriorityQueuePolicyMap()
        .forEach((level, policy) -> checkDelay(policy, policy(level).field("value")));
  }

  private void checkDelay(ModelQueuePolicy policy, FieldPath path) {
    problems.require(
        policy.getDefaultTimeoutMicroseconds() == 0
            || policy.getTimeoutAction() != ModelQueuePolicy.TimeoutAction.DELAY,
        path.field("timeout_action"),
        "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for %s",
        model);
  }

  private static FieldPath policy(long level) {
    return PATH.entry("priority_queue_policy", level);
  }

  private static boolean isLevel(long level, long levels) {
    return level != 0 && Long.compareUnsigned(level, levels) <= 0;
  }
}
