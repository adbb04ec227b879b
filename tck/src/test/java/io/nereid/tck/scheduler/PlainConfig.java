package io.nereid.tck.scheduler;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.QueuePolicy;
import io.nereid.config.TensorConfig;
import io.nereid.tck.gate.GateBackend;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a {@link PlainScheduler} reads of a configuration.
 *
 * @param batching empty: each request runs alone
 */
record PlainConfig(
    ModelConfig model, List<InstanceSettings> instances, Optional<BatchingSettings> batching) {
  static PlainConfig parse(String text) {
    var root = PlainText.parse(text);
    int maxBatchSize = (int) root.number("max_batch_size", 0);
    var model =
        ModelConfig.of(root.value("name", ""), GateBackend.NAME)
            .withSignature(maxBatchSize, tensors(root, "input"), tensors(root, "output"))
            .withDecoupled(
                root.messages("model_transaction_policy").stream()
                    .anyMatch(policy -> policy.flag("decoupled")));
    return new PlainConfig(
        model,
        instances(model.name(), root),
        root.messages("dynamic_batching").stream()
            .findFirst()
            .map(settings -> batching(settings, maxBatchSize)));
  }

  private static List<TensorConfig> tensors(PlainText root, String field) {
    return root.messages(field).stream()
        .map(tensor ->
            new TensorConfig(
                tensor.value("name", ""),
                tensor.value("data_type", "").equals("TYPE_INT32") ? DataType.INT32 : DataType.FP32,
                Shape.of(tensor.numbers("dims")),
                Optional.empty(),
                tensor.flag("optional"),
                tensor.flag("allow_ragged_batch"),
                tensor.flag("is_shape_tensor"),
                TensorConfig.Format.FORMAT_NONE,
                ""))
        .toList();
  }

  private static List<InstanceSettings> instances(String model, PlainText root) {
    List<InstanceSettings> instances = new ArrayList<>();
    for (PlainText group : root.messages("instance_group")) {
      for (long i = 0; i < group.number("count", 1); i++) {
        instances.add(
            new InstanceSettings(
                model + "_" + instances.size(),
                InstanceSettings.Kind.KIND_CPU,
                0,
                List.of(),
                group.flag("passive")));
      }
    }
    return instances;
  }

  private static BatchingSettings batching(PlainText settings, int maxBatchSize) {
    List<Integer> preferred =
        settings.numbers("preferred_batch_size").stream().map(Long::intValue).toList();
    Map<Long, QueuePolicy> policies = new HashMap<>();
    for (PlainText entry : settings.messages("priority_queue_policy")) {
      policies.put(entry.number("key", 0), policy(entry.messages("value").getFirst()));
    }
    return new BatchingSettings(
        preferred.isEmpty() ? List.of(maxBatchSize) : preferred,
        settings.number("max_queue_delay_microseconds", 0),
        settings.flag("preserve_ordering"),
        settings.number("priority_levels", 0),
        settings.number("default_priority_level", 0),
        settings.messages("default_queue_policy").stream()
            .findFirst()
            .map(PlainConfig::policy)
            .orElse(QueuePolicy.NONE),
        policies);
  }

  private static QueuePolicy policy(PlainText policy) {
    return new QueuePolicy(
        QueuePolicy.TimeoutAction.valueOf(policy.value("timeout_action", "REJECT")),
        policy.number("default_timeout_microseconds", 0),
        policy.flag("allow_timeout_override"),
        policy.number("max_queue_size", 0));
  }
}
