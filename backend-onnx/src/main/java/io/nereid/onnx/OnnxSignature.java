package io.nereid.onnx;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.onnx.ort.OrtSession;
import io.nereid.onnx.ort.OrtTensorInfo;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The inputs and outputs in a model's file, which complete or contradict a configuration.
 *
 * @param inputs the inputs that every run needs
 * @param initializers inputs with a default value in the file
 */
record OnnxSignature(
    List<OrtTensorInfo> inputs, List<OrtTensorInfo> initializers, List<OrtTensorInfo> outputs) {
  static OnnxSignature of(OrtSession session) {
    return new OnnxSignature(session.inputs(), session.initializers(), session.outputs());
  }

  /** Inputs and initializers in the order of their positions in a run. */
  List<OrtTensorInfo> allInputs() {
    var all = new ArrayList<>(inputs);
    all.addAll(initializers);
    return all;
  }

  /**
   * Completes a configuration that lacks inputs or outputs: with them, and, for a model that can
   * batch, the maximum batch size and dynamic batching. Controls, states and computed batch inputs
   * are not added to the inputs and outputs.
   */
  ModelConfig complete(ModelConfig config, int defaultMaxBatchSize) {
    boolean canBatch = inputs.stream().allMatch(OnnxSignature::hasBatchDimension);
    canBatch &= outputs.stream().allMatch(OnnxSignature::hasBatchDimension);
    if (!canBatch && config.batches()) {
      throw InferenceException.invalid(
          ("autofill failed for model '%s': model does not support batching while non-zero"
                  + " max_batch_size is specified")
              .formatted(config.name()));
    }
    int maxBatchSize = canBatch && !config.batches() ? defaultMaxBatchSize : config.maxBatchSize();
    var sequence = OnnxSequenceTensors.of(config);
    var completed =
        config.withSignature(
            maxBatchSize,
            config.inputs().isEmpty()
                ? tensors(
                    config,
                    without(
                        inputs,
                        name -> sequence.reads(name) || config.batchInput(name).isPresent()),
                    maxBatchSize)
                : config.inputs(),
            config.outputs().isEmpty()
                ? tensors(config, without(outputs, sequence::writes), maxBatchSize)
                : config.outputs());
    return maxBatchSize > 1 && config.scheduling() instanceof SchedulingSettings.Direct
        ? completed.withScheduling(BatchingSettings.of(List.of(maxBatchSize), 0))
        : completed;
  }

  private static boolean hasBatchDimension(OrtTensorInfo info) {
    return info.dims().rank() > 0 && info.dims().dim(0) == Shape.WILDCARD;
  }

  private static List<OrtTensorInfo> without(List<OrtTensorInfo> infos, Predicate<String> named) {
    return infos.stream().filter(info -> !named.test(info.name())).toList();
  }

  private static List<TensorConfig> tensors(
      ModelConfig config, List<OrtTensorInfo> infos, int maxBatchSize) {
    return infos.stream().map(info -> tensor(config, info, maxBatchSize)).toList();
  }

  private static TensorConfig tensor(ModelConfig config, OrtTensorInfo info, int maxBatchSize) {
    DataType type =
        OnnxTypes.dataType(info.elementType()).orElseThrow(() -> unsupported(config, info));
    boolean hasRows = maxBatchSize > 0 && info.dims().rank() > 0;
    Shape dims = hasRows ? info.declaredDims().withoutLeading() : info.declaredDims();
    if (dims.rank() > 0) {
      return TensorConfig.of(info.name(), type, dims);
    }
    // Configurations have no scalars: they declare one element, with a reshape if there are rows.
    var plain = TensorConfig.of(info.name(), type, Shape.of(1));
    return maxBatchSize == 0
        ? plain
        : new TensorConfig(
            plain.name(),
            type,
            plain.dims(),
            Optional.of(dims),
            false,
            false,
            false,
            plain.format(),
            "");
  }

  /**
   * Whether the configuration of an output says of its shape what completion says, which is what
   * the file says. ONNX Runtime only warns if that is wrong, as it is in files of many converters.
   */
  boolean isFromFile(ModelConfig config, TensorConfig output) {
    return find(outputs, output.name())
        .map(info -> tensor(config, info, config.maxBatchSize()))
        .filter(fromFile -> fromFile.dims().equals(output.dims()))
        .filter(fromFile -> fromFile.reshape().equals(output.reshape()))
        .isPresent();
  }

  /**
   * Checks that a complete configuration and the file describe the same tensors.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model, the tensor and both
   *     values
   */
  void check(ModelConfig config) {
    var sequence = OnnxSequenceTensors.of(config);
    List<OrtTensorInfo> missing =
        without(
            inputs,
            name ->
                config.input(name).isPresent()
                    || sequence.reads(name)
                    || config.batchInput(name).isPresent());
    int expected =
        config.inputs().size()
            + sequence.controls().size()
            + sequence.states().size()
            + BatchTensors.targets(config).size();
    if (!missing.isEmpty() && expected != inputs.size()) {
      throw unexpectedCount(config, expected);
    }
    new SequenceCheck(config, this).check(sequence);
    BatchTensors.check(config, this);
    if (expected > allInputs().size()) {
      throw unexpectedCount(config, expected);
    }
    for (TensorConfig input : config.inputs()) {
      OrtTensorInfo info =
          find(allInputs(), input.name())
              .orElseThrow(() -> unexpected(config, "input", input.name(), allInputs()));
      checkType(config, "input", input, info);
      checkOptional(config, input, info);
      new OnnxShapeCheck(config, input, info).input();
    }
    if (!missing.isEmpty()) {
      throw invalid(
          config,
          "configuration has no input '%s', which the model requires"
              .formatted(missing.getFirst().name()));
    }
    for (TensorConfig output : config.outputs()) {
      OrtTensorInfo info =
          find(outputs, output.name())
              .orElseThrow(() -> unexpected(config, "output", output.name(), outputs));
      checkType(config, "output", output, info);
      if (config.batchOutput(output.name()).isEmpty()) { // otherwise any shape is possible
        new OnnxShapeCheck(config, output, info).output();
      }
    }
  }

  private InferenceException unexpectedCount(ModelConfig config, int expected) {
    return invalid(
        config,
        "configuration expects %d inputs, model provides %d".formatted(expected, inputs.size()));
  }

  static Optional<OrtTensorInfo> find(List<OrtTensorInfo> infos, String name) {
    return infos.stream().filter(info -> info.name().equals(name)).findFirst();
  }

  static void checkType(ModelConfig config, String role, TensorConfig tensor, OrtTensorInfo info) {
    if (OnnxTypes.elementType(tensor.dataType()) != info.elementType()) {
      throw invalid(
          config,
          "configuration expects datatype %s for %s '%s', model provides %s%s"
              .formatted(
                  tensor.dataType().configName(),
                  role,
                  tensor.name(),
                  OnnxTypes.describe(info.elementType()),
                  cure(info)));
    }
  }

  private static void checkOptional(ModelConfig config, TensorConfig input, OrtTensorInfo info) {
    if (input.optional() && config.batches()) {
      throw invalid(
          config,
          "optional input '%s' is not supported for models that support batching"
              .formatted(input.name()));
    }
    if (input.allowRaggedBatch() && !info.dims().equals(Shape.of(Shape.WILDCARD))) {
      throw invalid(
          config,
          ("configuration expects model provides input with shape [-1] for ragged input '%s',"
                  + " model provides %s")
              .formatted(input.name(), info.dims()));
    }
  }

  static InferenceException unexpected(
      ModelConfig config, String role, String name, List<OrtTensorInfo> allowed) {
    return invalid(
        config,
        "unexpected inference %s '%s', allowed %ss are: %s"
            .formatted(
                role,
                name,
                role,
                allowed.stream().map(OrtTensorInfo::name).collect(Collectors.joining(", "))));
  }

  private static InferenceException unsupported(ModelConfig config, OrtTensorInfo info) {
    return invalid(
        config,
        "'%s' is %s in the model, which cannot be served%s"
            .formatted(info.name(), OnnxTypes.describe(info.elementType()), cure(info)));
  }

  /** What helps where a classifier's probabilities are maps; empty for a tensor. */
  private static String cure(OrtTensorInfo info) {
    return info.elementType() == OrtTensorInfo.NOT_A_TENSOR
        ? ". A sequence of maps comes from the node ZipMap: convert the model without it"
            + " (skl2onnx: options={'zipmap': False}; onnxmltools: zipmap=False; CatBoost: remove"
            + " the node by onnx), or state in config.pbtxt only the outputs that are tensors"
        : "";
  }

  static InferenceException invalid(ModelConfig config, String message) {
    return InferenceException.invalid(
        "unable to load model '%s', %s".formatted(config.name(), message));
  }
}
