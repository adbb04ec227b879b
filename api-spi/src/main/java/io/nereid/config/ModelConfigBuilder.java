package io.nereid.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes a configuration, as a test or {@link io.nereid.spi.Backend#complete} does:
 *
 * <pre>{@code
 * config.toBuilder().maxBatchSize(8).parameter("threads", "2").build()
 * }</pre>
 *
 * <p>Each method replaces one component of {@link ModelConfig}, whose documentation says what it
 * means. Used by one thread.
 */
public final class ModelConfigBuilder {
  private String name;
  private String platform;
  private String backend;
  private int maxBatchSize;
  private List<TensorConfig> inputs;
  private List<TensorConfig> outputs;
  private List<BatchInput> batchInputs;
  private List<BatchOutput> batchOutputs;
  private SchedulingSettings scheduling;
  private boolean decoupled;
  private String defaultModelFilename;
  private Map<String, String> computeCapabilityFilenames;
  private List<String> operationLibraries;
  private OptimizationSettings optimization;
  private final Map<String, String> parameters;

  ModelConfigBuilder(ModelConfig config) {
    name = config.name();
    platform = config.platform();
    backend = config.backend();
    maxBatchSize = config.maxBatchSize();
    inputs = config.inputs();
    outputs = config.outputs();
    batchInputs = config.batchInputs();
    batchOutputs = config.batchOutputs();
    scheduling = config.scheduling();
    decoupled = config.decoupled();
    defaultModelFilename = config.defaultModelFilename();
    computeCapabilityFilenames = config.computeCapabilityFilenames();
    operationLibraries = config.operationLibraries();
    optimization = config.optimization();
    parameters = new HashMap<>(config.parameters());
  }

  public ModelConfigBuilder name(String value) {
    name = value;
    return this;
  }

  public ModelConfigBuilder platform(String value) {
    platform = value;
    return this;
  }

  public ModelConfigBuilder backend(String value) {
    backend = value;
    return this;
  }

  public ModelConfigBuilder maxBatchSize(int value) {
    maxBatchSize = value;
    return this;
  }

  public ModelConfigBuilder inputs(TensorConfig... values) {
    return inputs(List.of(values));
  }

  public ModelConfigBuilder inputs(List<TensorConfig> values) {
    inputs = values;
    return this;
  }

  public ModelConfigBuilder outputs(TensorConfig... values) {
    return outputs(List.of(values));
  }

  public ModelConfigBuilder outputs(List<TensorConfig> values) {
    outputs = values;
    return this;
  }

  public ModelConfigBuilder batchInputs(List<BatchInput> values) {
    batchInputs = values;
    return this;
  }

  public ModelConfigBuilder batchOutputs(List<BatchOutput> values) {
    batchOutputs = values;
    return this;
  }

  public ModelConfigBuilder scheduling(SchedulingSettings value) {
    scheduling = value;
    return this;
  }

  public ModelConfigBuilder decoupled(boolean value) {
    decoupled = value;
    return this;
  }

  public ModelConfigBuilder defaultModelFilename(String value) {
    defaultModelFilename = value;
    return this;
  }

  public ModelConfigBuilder computeCapabilityFilenames(Map<String, String> values) {
    computeCapabilityFilenames = values;
    return this;
  }

  public ModelConfigBuilder operationLibraries(List<String> values) {
    operationLibraries = values;
    return this;
  }

  public ModelConfigBuilder optimization(OptimizationSettings value) {
    optimization = value;
    return this;
  }

  /** Sets one of the {@code parameters}; the others stay. */
  public ModelConfigBuilder parameter(String key, String value) {
    parameters.put(key, value);
    return this;
  }

  /** Replaces all {@code parameters}. */
  public ModelConfigBuilder parameters(Map<String, String> values) {
    Map<String, String> all = Map.copyOf(values);
    parameters.clear();
    parameters.putAll(all);
    return this;
  }

  /** The configuration as it is now. */
  public ModelConfig build() {
    return new ModelConfig(
        name,
        platform,
        backend,
        maxBatchSize,
        inputs,
        outputs,
        batchInputs,
        batchOutputs,
        scheduling,
        decoupled,
        defaultModelFilename,
        computeCapabilityFilenames,
        operationLibraries,
        optimization,
        parameters);
  }
}
