package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelDynamicBatching;
import io.nereid.protocol.config.ModelQueuePolicy;

/** The rules for {@code dynamic_batching}. */
final class DynamicBatchingValidator extends ConfigRules {
  private static final FieldPath PATH = FieldPath.of("dynamic_batching");

  private final ModelDynamicBatching batching;

  private DynamicBatchingValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
    this.batching = config.getDynamicBatching();
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new DynamicBatchingValidator(config, problems);
    validator.requireSizes(
        validator.batching.getPreferredBatchSizeList(), PATH, "dynamic batching preferred size");
    validator.checkLevels();
    if (config.getDynamicBatching().getPreserveOrdering()) {
      validator.checkPreservedOrdering();
    }
  }

  private void checkLevels() {
    long levels = batching.getPriorityLevels();
    if (levels == 0) {
      return;
    }
    String shown = Long.toUnsignedString(levels);
    require(
        isLevel(batching.getDefaultPriorityLevel(), levels),
        PATH.field("default_priority_level"),
        "default priority level must be in range [1, %s]".formatted(shown));
    for (long level : batching.getPriorityQueuePolicyMap().keySet()) {
      require(
          isLevel(level, levels),
          policy(level),
          "priority queue policy must have priority level in range [1, %s]".formatted(shown));
    }
  }

  private void checkPreservedOrdering() {
    require(
        Long.compareUnsigned(batching.getPriorityLevels(), 1) <= 0,
        PATH.field("priority_levels"),
        "Only one priority level is allowed when 'preserve_ordering' is true");
    checkDelay(batching.getDefaultQueuePolicy(), PATH.field("default_queue_policy"));
    batching
        .getPriorityQueuePolicyMap()
        .forEach((level, policy) -> checkDelay(policy, policy(level).field("value")));
  }

  private void checkDelay(ModelQueuePolicy policy, FieldPath path) {
    require(
        policy.getDefaultTimeoutMicroseconds() == 0
            || policy.getTimeoutAction() != ModelQueuePolicy.TimeoutAction.DELAY,
        path.field("timeout_action"),
        "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true");
  }

  private static FieldPath policy(long level) {
    return PATH.entry("priority_queue_policy", level);
  }

  private static boolean isLevel(long level, long levels) {
    return level != 0 && Long.compareUnsigned(level, levels) <= 0;
  }
}
