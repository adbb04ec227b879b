package io.nereid.engine.model.config.conversion;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import io.nereid.protocol.config.ModelParameter;
import io.nereid.protocol.config.ModelTensorReshape;
import io.nereid.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * Merges a record that a backend has completed into the message of the file. Fields that the record
 * does not have, such as {@code is_non_linear_format_io}, keep their values.
 */
public final class ModelConfigMerge {
  private ModelConfigMerge() {}

  /**
   * Takes the maximum batch size, inputs, outputs, scheduler, transaction policy and additional
   * parameters from {@code completed}; other differences are ignored.
   *
   * @param draft the record of {@code message}
   * @throws InferenceException if the backend replaced the file's scheduler
   */
  public static ModelConfig merge(
      ModelConfig message,
      io.nereid.config.ModelConfig draft,
      io.nereid.config.ModelConfig completed) {
    var merged = message.toBuilder().setMaxBatchSize(completed.maxBatchSize());
    if (!completed.inputs().equals(draft.inputs())) {
      merged
          .clearInput()
          .addAllInput(completed.inputs().stream().map(tensor -> input(message, tensor)).toList());
    }
    if (!completed.outputs().equals(draft.outputs())) {
      merged
          .clearOutput()
          .addAllOutput(
              completed.outputs().stream().map(tensor -> output(message, tensor)).toList());
    }
    if (completed.decoupled() != draft.decoupled()) {
      merged.getModelTransactionPolicyBuilder().setDecoupled(completed.decoupled());
    }
    completed
        .parameters()
        .forEach((name, value) -> {
          if (!message.containsParameters(name)) {
            merged.putParameters(name, ModelParameter.newBuilder().setStringValue(value).build());
          }
        });
    mergeScheduling(merged, draft.scheduling(), completed.scheduling());
    return merged.build();
  }

  private static void mergeScheduling(
      ModelConfig.Builder merged, SchedulingSettings draft, SchedulingSettings completed) {
    if (draft.getClass() == completed.getClass()) {
      return; // the file's settings take precedence
    }
    if (!(draft instanceof SchedulingSettings.Direct)) {
      throw replaced(merged, completed);
    }
    switch (completed) {
      case SchedulingSettings.Direct _, BatchingSettings _, SequenceSettings _ ->
          merged.mergeFrom(SchedulingMessages.message(completed));
      case EnsembleSettings _ -> throw replaced(merged, completed); // an ensemble has no backend
    }
  }

  private static InferenceException replaced(
      ModelConfig.Builder merged, SchedulingSettings completed) {
    return InferenceException.internal(
        "Cannot update scheduling choice of model '%s' from %s to %s"
            .formatted(merged.getName(), merged.getSchedulingChoiceCase(), completed));
  }

  private static ModelInput input(ModelConfig message, TensorConfig tensor) {
    var input =
        message.getInputList().stream()
            .filter(given -> given.getName().equals(tensor.name()))
            .findFirst()
            .orElse(ModelInput.getDefaultInstance())
            .toBuilder()
            .setName(tensor.name())
            .setDataType(DataType.valueOf(tensor.dataType().configName()))
            .setFormat(ModelInput.Format.valueOf(tensor.format().name()))
            .clearDims()
            .addAllDims(dims(tensor.dims()))
            .clearReshape()
            .setIsShapeTensor(tensor.shapeTensor())
            .setAllowRaggedBatch(tensor.allowRaggedBatch())
            .setOptional(tensor.optional());
    tensor.reshape().ifPresent(shape -> input.setReshape(reshape(shape)));
    return input.build();
  }

  private static ModelOutput output(ModelConfig message, TensorConfig tensor) {
    var output =
        message.getOutputList().stream()
            .filter(given -> given.getName().equals(tensor.name()))
            .findFirst()
            .orElse(ModelOutput.getDefaultInstance())
            .toBuilder()
            .setName(tensor.name())
            .setDataType(DataType.valueOf(tensor.dataType().configName()))
            .clearDims()
            .addAllDims(dims(tensor.dims()))
            .clearReshape()
            .setLabelFilename(tensor.labelFilename())
            .setIsShapeTensor(tensor.shapeTensor());
    tensor.reshape().ifPresent(shape -> output.setReshape(reshape(shape)));
    return output.build();
  }

  private static ModelTensorReshape reshape(Shape shape) {
    return ModelTensorReshape.newBuilder().addAllShape(dims(shape)).build();
  }

  static List<Long> dims(Shape shape) {
    return Arrays.stream(shape.dims()).boxed().toList();
  }
}
