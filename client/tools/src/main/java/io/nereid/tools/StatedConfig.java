package io.nereid.tools;

import io.nereid.client.model.ModelMetadata;
import io.nereid.client.model.TensorMetadata;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tools.data.ColumnNames;
import io.nereid.tools.data.WantedTensors;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a model's configuration says besides its metadata.
 *
 * @param maxBatch the most rows of a request; 0 if the model has no batches; empty if the server
 *     does not say
 * @param optional the inputs that a request need not have
 */
record StatedConfig(
    OptionalInt maxBatch, String backend, Set<String> optional, Map<String, String> parameters) {
  /** Of a server that shows no configurations. */
  static final StatedConfig UNKNOWN = new StatedConfig(OptionalInt.empty(), "", Set.of(), Map.of());

  private static final Set<String> TREES = Set.of("trees", "fil", "triton_fil");
  private static final Set<String> CONTRIBUTIONS = Set.of("contributions", "treeshap_output");
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

  static StatedConfig of(ModelConfig config) {
    return new StatedConfig(
        OptionalInt.of(config.maxBatchSize()),
        config.backend(),
        config.inputs().stream()
            .filter(TensorConfig::optional)
            .map(TensorConfig::name)
            .collect(Collectors.toSet()),
        config.parameters());
  }

  /** Of the extension for configurations, which Triton has. */
  static StatedConfig of(Map<String, Object> config) {
    Map<String, String> parameters = new HashMap<>();
    if (config.get("parameters") instanceof Map<?, ?> stated) {
      stated.forEach((name, value) -> {
        if (value instanceof Map<?, ?> text && text.get("string_value") instanceof String string) {
          parameters.put(name.toString(), string);
        }
      });
    }
    Set<String> optional = new HashSet<>();
    if (config.get("input") instanceof List<?> inputs) {
      for (Object input : inputs) {
        if (input instanceof Map<?, ?> stated
            && Boolean.TRUE.equals(stated.get("optional"))
            && stated.get("name") instanceof String name) {
          optional.add(name);
        }
      }
    }
    return new StatedConfig(
        // protobuf's JSON leaves zeros out
        OptionalInt.of(config.get("max_batch_size") instanceof Number max ? max.intValue() : 0),
        config.get("backend") instanceof String backend ? backend : "",
        optional,
        parameters);
  }

  private boolean isOfTrees() {
    return TREES.contains(backend);
  }

  /** The inputs of a model of this configuration. */
  WantedTensors inputs(ModelMetadata metadata) {
    return WantedTensors.inputs(
        metadata.inputs(),
        names(metadata.outputs()),
        optional,
        isOfTrees()
            ? "; with the parameter 'columns' in its config.pbtxt a model of trees takes texts of categories"
            : "");
  }

  /** How columns of its outputs, and of its only input, are named. */
  ColumnNames names(List<TensorMetadata> outputs) {
    String features = parameters.getOrDefault("feature_names", "").strip();
    if (!isOfTrees() || features.isEmpty()) {
      return ColumnNames.NUMBERED;
    }
    return new ColumnNames(
        COMMA.splitAsStream(features).toList(),
        outputs.stream()
            .map(TensorMetadata::name)
            .filter(name -> CONTRIBUTIONS.contains(parameters.getOrDefault("output." + name, name)))
            .collect(Collectors.toSet()));
  }
}
