package io.nereid.engine.model.config.validation;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInput;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rules for the parameters of {@link BatchCostSettings}. */
final class BatchCostValidator extends ConfigRules {
  private static final long VARIABLE = -1;

  private BatchCostValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    Map<String, String> parameters = new HashMap<>();
    config.getParametersMap().forEach((key, value) -> parameters.put(key, value.getStringValue()));
    var validator = new BatchCostValidator(config, problems);
    try {
      BatchCostSettings.of(config.getName(), parameters).ifPresent(validator::check);
    } catch (InferenceException wrong) {
      problems.add(named(wrong), wrong);
    }
  }

  private static FieldPath named(InferenceException wrong) {
    String message = String.valueOf(wrong.getMessage());
    return BatchCostSettings.PARAMETERS.stream()
        .filter(each -> message.contains(": parameter '%s'".formatted(each)))
        .findFirst()
        .map(BatchCostValidator::parameter)
        .orElse(FieldPath.ROOT);
  }

  private static FieldPath parameter(String key) {
    return FieldPath.ROOT.entry("parameters", key);
  }

  private void check(BatchCostSettings cost) {
    require(
        config.hasDynamicBatching() && config.getMaxBatchSize() > 0,
        BatchCostSettings.MAX_COST,
        "limits the batches of 'dynamic_batching', which needs a 'max_batch_size' above 0");
    require(
        cost.maxReorderingMicros() == 0 || !config.getDynamicBatching().getPreserveOrdering(),
        BatchCostSettings.MAX_REORDERING,
        "must be 0 with 'preserve_ordering', which keeps the order of requests");
    Optional<ModelInput> input =
        config.getInputList().stream()
            .filter(each -> each.getName().equals(cost.weightInput()))
            .findFirst();
    require(
        input.isPresent(),
        BatchCostSettings.WEIGHT_INPUT,
        "names the input '%s', which the model does not have".formatted(cost.weightInput()));
    input.ifPresent(this::check);
  }

  private void check(ModelInput input) {
    String name = input.getName();
    require(
        !input.getIsShapeTensor() && !input.getOptional(),
        BatchCostSettings.WEIGHT_INPUT,
        "names the input '%s', which is %s: each request must have rows of it"
            .formatted(name, input.getIsShapeTensor() ? "a shape tensor" : "optional"));
    require(
        input.getDataType() == DataType.TYPE_STRING || input.getDimsList().contains(VARIABLE),
        BatchCostSettings.WEIGHT_INPUT,
        ("names the input '%s' of fixed dims, by which all rows weigh the same: 'max_batch_size'"
                + " limits their number")
            .formatted(name));
  }

  private void require(boolean condition, String key, String message) {
    problems.require(
        condition, parameter(key), "model '%s': parameter '%s' %s".formatted(model, key, message));
  }
}
