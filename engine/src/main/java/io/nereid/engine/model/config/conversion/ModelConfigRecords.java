package io.nereid.engine.model.config.conversion;

import static java.util.stream.Collectors.toMap;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import io.nereid.protocol.config.ModelTensorReshape;
import io.nereid.tensor.Shape;
import java.util.Optional;
import java.util.stream.Stream;

/** Conversion of a configuration message to the record that backends and schedulers read. */
public final class ModelConfigRecords {
  private ModelConfigRecords() {}

  /**
   * Converts a normalised message that has passed {@code ModelConfigValidator}, {@code
   * SequenceStateValidator} and {@code BatchTensorValidator}. Inputs and outputs may be missing.
   *
   * @throws InferenceException if an input, an output or a state has no type
   */
  public static ModelConfig record(io.nereid.protocol.config.ModelConfig message) {
    String name = message.getName();
    return new ModelConfig(
        name,
        message.getPlatform(),
        message.getBackend(),
        message.getMaxBatchSize(),
        message.getInputList().stream().map(input -> input(name, input)).toList(),
        message.getOutputList().stream().map(output -> output(name, output)).toList(),
        message.getBatchInputList().stream().map(input -> batchInput(name, input)).toList(),
        message.getBatchOutputList().stream().flatMap(ModelConfigRecords::batchOutputs).toList(),
        SchedulingRecords.record(message),
        message.getModelTransactionPolicy().getDecoupled(),
        message.getDefaultModelFilename(),
        message.getCcModelFilenamesMap(),
        message.getModelOperations().getOpLibraryFilenameList(),
        OptimizationRecords.record(message.getOptimization()),
        message.getParametersMap().entrySet().stream()
            .collect(
                toMap(
                    parameter -> parameter.getKey(), entry -> entry.getValue().getStringValue())));
  }

  private static TensorConfig input(String model, ModelInput input) {
    return new TensorConfig(
        input.getName(),
        dataType(model, "input", input.getName(), input.getDataType()),
        Shape.of(input.getDimsList()),
        reshape(input.hasReshape(), input.getReshape()),
        input.getOptional(),
        input.getAllowRaggedBatch(),
        input.getIsShapeTensor(),
        switch (input.getFormat()) {
          case FORMAT_NHWC -> TensorConfig.Format.FORMAT_NHWC;
          case FORMAT_NCHW -> TensorConfig.Format.FORMAT_NCHW;
          case FORMAT_NONE, UNRECOGNIZED -> TensorConfig.Format.FORMAT_NONE;
        },
        "");
  }

  private static TensorConfig output(String model, ModelOutput output) {
    return new TensorConfig(
        output.getName(),
        dataType(model, "output", output.getName(), output.getDataType()),
        Shape.of(output.getDimsList()),
        reshape(output.hasReshape(), output.getReshape()),
        false,
        false,
        output.getIsShapeTensor(),
        TensorConfig.Format.FORMAT_NONE,
        output.getLabelFilename());
  }

  private static BatchInput batchInput(String model, io.nereid.protocol.config.BatchInput input) {
    String source = input.getSourceInput(0);
    return new BatchInput(
        BatchInput.Kind.valueOf(input.getKind().name()),
        input.getTargetNameList(),
        dataType(model, "batch input of", source, input.getDataType()),
        source);
  }

  private static Stream<BatchOutput> batchOutputs(io.nereid.protocol.config.BatchOutput output) {
    return output.getTargetNameList().stream()
        .map(target -> new BatchOutput(target, output.getSourceInput(0)));
  }

  private static Optional<Shape> reshape(boolean present, ModelTensorReshape reshape) {
    return present ? Optional.of(Shape.of(reshape.getShapeList())) : Optional.empty();
  }

  /**
   * Converts the data type of a tensor.
   *
   * @param role the kind of tensor, for the error
   * @throws InferenceException if the type is not set or unknown
   */
  static io.nereid.tensor.DataType dataType(
      String model, String role, String tensor, DataType type) {
    if (!hasType(type)) {
      throw InferenceException.invalid(
          "model %s '%s' must specify 'data_type' for %s".formatted(role, tensor, model));
    }
    if (type == DataType.TYPE_STRING) {
      return io.nereid.tensor.DataType.BYTES;
    }
    return io.nereid.tensor.DataType.valueOf(type.name().substring("TYPE_".length()));
  }

  /** Whether a data type is set and known. */
  public static boolean hasType(DataType type) {
    return type != DataType.TYPE_INVALID && type != DataType.UNRECOGNIZED;
  }
}
