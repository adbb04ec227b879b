package io.nereid.config;

import io.nereid.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model's configuration. What a backend gets has been checked against the rules that need no
 * backend.
 *
 * @param platform such as {@code onnxruntime_onnx}; may be empty
 * @param backend name of the {@link io.nereid.spi.BackendProvider} that runs the model
 * @param maxBatchSize 0: the model has no batch dimension; 1 or more: every input and output has
 *     one, in front of its dims
 * @param inputs in the order of the file; may be empty until the backend has completed it
 * @param outputs likewise
 * @param batchInputs inputs that a backend computes for each batch, beside {@code inputs}
 * @param batchOutputs which of {@code outputs} are cut up by the shapes of an input
 * @param scheduling {@link SchedulingSettings.Direct} if the file names no scheduler
 * @param decoupled a request gets 0 to n responses instead of one
 * @param defaultModelFilename file or folder in the version directory
 * @param computeCapabilityFilenames file by CUDA compute capability, such as "9.0"
 * @param operationLibraries {@code model_operations}: custom operator libraries
 * @param parameters free-form {@code parameters}, read by the backend
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
  public ModelConfig {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    batchInputs = List.copyOf(batchInputs);
    batchOutputs = List.copyOf(batchOutputs);
    computeCapabilityFilenames = Map.copyOf(computeCapabilityFilenames);
    operationLibraries = List.copyOf(operationLibraries);
    parameters = Map.copyOf(parameters);
  }

  /**
   * A configuration of nothing but a name and a backend, as for a model without {@code
   * config.pbtxt}.
   */
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

  public boolean batches() {
    return maxBatchSize > 0;
  }

  /** The inputs as clients see them, in order. */
  public List<TensorSpec> inputSpecs() {
    return inputs.stream().map(input -> input.clientSpec(maxBatchSize)).toList();
  }

  /** The outputs as clients see them, in order. */
  public List<TensorSpec> outputSpecs() {
    return outputs.stream().map(output -> output.clientSpec(maxBatchSize)).toList();
  }

  public Optional<TensorConfig> input(String name) {
    return find(inputs, name);
  }

  public Optional<TensorConfig> output(String name) {
    return find(outputs, name);
  }

  private static Optional<TensorConfig> find(List<TensorConfig> tensors, String name) {
    for (TensorConfig tensor : tensors) { // for every input of every request
      if (tensor.name().equals(name)) {
        return Optional.of(tensor);
      }
    }
    return Optional.empty();
  }

  /** What is computed for the model's input {@code target}; empty if requests bring it. */
  public Optional<BatchInput> batchInput(String target) {
    for (BatchInput input : batchInputs) {
      if (input.targetNames().contains(target)) {
        return Optional.of(input);
      }
    }
    return Optional.empty();
  }

  /** How the output {@code target} is cut up by an input's shapes; empty if it is by rows. */
  public Optional<BatchOutput> batchOutput(String target) {
    for (BatchOutput output : batchOutputs) {
      if (output.targetName().equals(target)) {
        return Optional.of(output);
      }
    }
    return Optional.empty();
  }

  /** {@code sequence_batching}, if that is the scheduler. */
  public Optional<SequenceSettings> sequence() {
    return scheduling instanceof SequenceSettings sequence
        ? Optional.of(sequence)
        : Optional.empty();
  }

  /**
   * This configuration with another maximum batch size, inputs and outputs: what a backend
   * completes.
   */
  public ModelConfig withSignature(
      int maxBatchSize, List<TensorConfig> inputs, List<TensorConfig> outputs) {
    return with(maxBatchSize, inputs, outputs, scheduling, decoupled);
  }

  /** This configuration with another scheduler. */
  public ModelConfig withScheduling(SchedulingSettings scheduling) {
    return with(maxBatchSize, inputs, outputs, scheduling, decoupled);
  }

  /** This configuration with another transaction policy. */
  public ModelConfig withDecoupled(boolean decoupled) {
    return with(maxBatchSize, inputs, outputs, scheduling, decoupled);
  }

  /** This configuration but for what a backend may change of it. */
  private ModelConfig with(
      int maxBatchSize,
      List<TensorConfig> inputs,
      List<TensorConfig> outputs,
      SchedulingSettings scheduling,
      boolean decoupled) {
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
