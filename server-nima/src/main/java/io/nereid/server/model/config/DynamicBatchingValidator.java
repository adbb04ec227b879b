package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigValidator.require;

import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelDynamicBatching;
import io.nereid.server.protobuf.ModelQueuePolicy;
import java.util.stream.Stream;

/** The rules for {@code dynamic_batching}. */
final class DynamicBatchingValidator {
  private DynamicBatchingValidator() {}

  static void validate(ModelConfig config) {
    String model = config.getName();
    var batching = config.getDynamicBatching();
    for (int size : batching.getPreferredBatchSizeList()) {
      require(size > 0, "dynamic batching preferred size must be positive for %s", model);
      require(
          size <= config.getMaxBatchSize(),
          "dynamic batching preferred size must be <= max batch size for %s",
          model);
    }
    checkLevels(batching, model);
    if (batching.getPreserveOrdering()) {
      require(
          Long.compareUnsigned(batching.getPriorityLevels(), 1) <= 0,
          "Only one priority level is allowed when 'preserve_ordering' is true for %s",
          model);
      require(
          queuePolicies(batching).noneMatch(DynamicBatchingValidator::delays),
          "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for"
              + " %s",
          model);
    }
  }

  private static void checkLevels(ModelDynamicBatching batching, String model) {
    long levels = batching.getPriorityLevels();
    if (levels == 0) {
      return;
    }
    String shown = Long.toUnsignedString(levels);
    require(
        isLevel(batching.getDefaultPriorityLevel(), levels),
        "default priority level must be in range [1, %s] for %s",
        shown,
        model);
    for (long level : batching.getPriorityQueuePolicyMap().keySet()) {
      require(
          isLevel(level, levels),
          "priority queue policy must have priority level in range [1, %s] for %s",
          shown,
          model);
    }
  }

  private static boolean isLevel(long level, long levels) {
    return level != 0 && Long.compareUnsigned(level, levels) <= 0;
  }

  private static Stream<ModelQueuePolicy> queuePolicies(ModelDynamicBatching batching) {
    return Stream.concat(
        Stream.of(batching.getDefaultQueuePolicy()),
        batching.getPriorityQueuePolicyMap().values().stream());
  }

  private static boolean delays(ModelQueuePolicy policy) {
    return policy.getDefaultTimeoutMicroseconds() != 0
        && policy.getTimeoutAction() == ModelQueuePolicy.TimeoutAction.DELAY;
  }
}
