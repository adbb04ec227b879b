package io.nereid.config;

import io.nereid.lookup.NamedList;
import io.nereid.tensor.TensorSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model's configuration. Before a backend receives it, the server has checked every rule that
 * does not depend on the backend.
 *
 * @param platform such as {@code onnxruntime_onnx}; may be empty
 * @param backend name of the {@link io.nereid.spi.BackendProvider} that runs the model
 * @param maxBatchSize the largest batch in rows; 0 if the model does not batch. If it is above 0,
 *     the tensors of every input and output have a batch dimension in front of their {@code dims}
 * @param inputs in the order of the file; may be empty until {@link io.nereid.spi.Backend#complete}
 * @param outputs in the order of the file; may be empty until {@link
 *     io.nereid.spi.Backend#complete}
 * @param batchInputs inputs that the server computes for each batch, in addition to {@code inputs}
 * @param batchOutputs which of {@code outputs} are split by the shapes of an input
 * @param scheduling {@link SchedulingSettings.Direct} if the file names no scheduler
 * @param decoupled whether a request may have any number of responses instead of exactly one
 * @param defaultModelFilename file or directory in the version directory; empty for the backend's
 *     own choice
 * @param computeCapabilityFilenames file by CUDA compute capability, such as "9.0"
 * @param operationLibraries {@code model_operations}: libraries of custom operators
 * @param parameters free-form {@code parameters}, interpreted by the backend
 */
public record ModelConfig(
    String name,
    String platform,
    String backend,
    int maxBatchSize,
    List<TensorConfig> inputs,
    List<TensorConfig> outputs,
    List<BatchInput> batchInputs,
    List<BatchOutput> batchOutputs,
    SchedulingSettings scheduling,
    boolean decoupled,
    String defaultModelFilename,
    Map<String, String> computeCapabilityFilenames,
    List<String> operationLibraries,
    OptimizationSettings optimization,
    Map<String, String> parameters) {
  /** The parameter that names the models which a model may call. */
  public static final String CALLS = "calls";

  public ModelConfig {
    inputs = NamedList.copyOf(inputs, TensorConfig::name);
    outputs = NamedList.copyOf(outputs, TensorConfig::name);
    batchInputs = List.copyOf(batchInputs);
    batchOutputs = List.copyOf(batchOutputs);
    computeCapabilityFilenames = Map.copyOf(computeCapabilityFilenames);
    operationLibraries = List.copyOf(operationLibraries);
    parameters = Map.copyOf(parameters);
  }

  /** The configuration of a model without {@code config.pbtxt}: all else is empty or default. */
  public static ModelConfig of(String name, String backend) {
    return new ModelConfig(
        name,
        "",
        backend,
        0,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new SchedulingSettings.Direct(),
        false,
        "",
        Map.of(),
        List.of(),
        OptimizationSettings.DEFAULT,
        Map.of());
  }

  /** The names of the models that it may call, as its parameter {@code calls} says; each once. */
  public List<String> calls() {
    return calls(parameters.getOrDefault(CALLS, ""));
  }

  /** The names in a value of the parameter {@code calls}: with commas between them, each once. */
  public static List<String> calls(String value) {
    return value.isBlank()
        ? List.of()
        : Arrays.stream(value.split(",", -1)).map(String::strip).distinct().toList();
  }

  /**
   * The limit of what a batch costs; empty if the model's parameters have none.
   *
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT for a wrong parameter, which the
   *     server refuses before a backend receives the configuration
   */
  public Optional<BatchCostSettings> batchCost() {
    return BatchCostSettings.of(name, parameters);
  }

  /** Whether the model's tensors have a batch dimension. */
  public boolean batches() {
    return maxBatchSize > 0;
  }

  /** The inputs as clients send them, in order. */
  public List<TensorSpec> inputSpecs() {
    return inputs.stream().map(input -> input.clientSpec(maxBatchSize)).toList();
  }

  /** The outputs as clients receive them, in order. */
  public List<TensorSpec> outputSpecs() {
    return outputs.stream().map(output -> output.clientSpec(maxBatchSize)).toList();
  }

  public Optional<TensorConfig> input(String name) {
    return NamedList.find(inputs, name, TensorConfig::name);
  }

  public Optional<TensorConfig> output(String name) {
    return NamedList.find(outputs, name, TensorConfig::name);
  }

  /** The computed input that {@code target} receives; empty if requests contain it. */
  public Optional<BatchInput> batchInput(String target) {
    for (BatchInput input : batchInputs) {
      if (input.targetNames().contains(target)) {
        return Optional.of(input);
      }
    }
    return Optional.empty();
  }

  /** How the output {@code target} is split by shapes; empty if it is split by rows. */
  public Optional<BatchOutput> batchOutput(String target) {
    for (BatchOutput output : batchOutputs) {
      if (output.targetName().equals(target)) {
        return Optional.of(output);
      }
    }
    return Optional.empty();
  }

  /** The settings of {@code sequence_batching}; empty if the model has another scheduler. */
  public Optional<SequenceSettings> sequence() {
    return scheduling instanceof SequenceSettings sequence
        ? Optional.of(sequence)
        : Optional.empty();
  }

  /** A builder of configurations that begins with this one. */
  public ModelConfigBuilder toBuilder() {
    return new ModelConfigBuilder(this);
  }

  /** This configuration with another maximum batch size and other inputs and outputs. */
  public ModelConfig withSignature(
      int maxBatchSize, List<TensorConfig> inputs, List<TensorConfig> outputs) {
    return toBuilder().maxBatchSize(maxBatchSize).inputs(inputs).outputs(outputs).build();
  }

  /** This configuration with another scheduler. */
  public ModelConfig withScheduling(SchedulingSettings scheduling) {
    return toBuilder().scheduling(scheduling).build();
  }

  /** This configuration, decoupled or not ({@code model_transaction_policy}). */
  public ModelConfig withDecoupled(boolean decoupled) {
    return toBuilder().decoupled(decoupled).build();
  }
}
