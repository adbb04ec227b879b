package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The rules for inputs, outputs, {@code batch_input} and {@code batch_output}. Applied to complete
 * configurations: by the reader without automatic completion, else when a version loads.
 */
public final class TensorConfigValidator extends ConfigRules {
  private static final long VARIABLE = -1;

  private TensorConfigValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
  }

  /**
   * Validates inputs, outputs, {@code batch_input} and {@code batch_output}, then what reads them.
   */
  public static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new TensorConfigValidator(config, problems);
    for (int i = 0; i < config.getInputCount(); i++) {
      validator.check("input", config.getInput(i), FieldPath.of("input", i));
    }
    for (int i = 0; i < config.getOutputCount(); i++) {
      validator.check("output", asInput(config.getOutput(i)), FieldPath.of("output", i));
    }
    BatchTensorValidator.check(config, problems);
    BatchCostValidator.check(config, problems);
  }

  /** The fields that inputs and outputs share. */
  private static ModelInput asInput(ModelOutput output) {
    var input =
        ModelInput.newBuilder()
            .setName(output.getName())
            .setDataTypeValue(output.getDataTypeValue())
            .addAllDims(output.getDimsList())
            .setIsShapeTensor(output.getIsShapeTensor())
            .setIsNonLinearFormatIo(output.getIsNonLinearFormatIo());
    return output.hasReshape() ? input.setReshape(output.getReshape()).build() : input.build();
  }

  private void check(String role, ModelInput tensor, FieldPath path) {
    String name = tensor.getName();
    if (require(
        !name.isEmpty(), path.field("name"), "model %s must specify 'name'".formatted(role))) {
      String subject = "model %s '%s'".formatted(role, name);
      require(
          ModelConfigRecords.hasType(tensor.getDataType()),
          path.field("data_type"),
          "%s must specify 'data_type'".formatted(subject));
      checkShapes(subject, tensor, path);
    }
    boolean hasThreeDims = tensor.getDimsCount() == 3;
    require(
        tensor.getFormat() == ModelInput.Format.FORMAT_NONE || hasThreeDims,
        path.field("format"),
        "model input NHWC/NCHW require 3 dims");
    boolean tensorRt = config.getPlatform().equals("tensorrt_plan");
    require(
        !tensor.getIsShapeTensor() || tensorRt,
        path.field("is_shape_tensor"),
        "shape tensors are only supported for TensorRT platform");
    boolean linear = !tensor.getIsNonLinearFormatIo();
    FieldPath nonLinear = path.field("is_non_linear_format_io");
    require(
        linear || tensorRt,
        nonLinear,
        "Non-linear IO format is only supported for the TensorRT platform");
    require(
        linear || hasThreeDims,
        nonLinear,
        "Non-linear IO format %s requires 3 dims".formatted(role));
  }

  private void checkShapes(String subject, ModelInput tensor, FieldPath path) {
    List<Long> dims = tensor.getDimsList();
    List<Long> shape = tensor.getReshape().getShapeList();
    FieldPath reshape = path.field("reshape");
    boolean good =
        require(!dims.isEmpty(), path.field("dims"), "%s must specify 'dims'".formatted(subject));
    require(
        config.getMaxBatchSize() > 0 || !tensor.hasReshape() || !shape.isEmpty(),
        reshape,
        "%s cannot have empty reshape for non-batching model as scalar tensors are not supported"
            .formatted(subject));
    good &= areDims(subject + " dimension", dims, i -> path.element("dims", i));
    good &= areDims(subject + " reshape dimensions", shape, i -> reshape.element("shape", i));
    if (!good) {
      return;
    }
    Optional<List<Long>> runs = runs(tensor.getName() + " dims", dims, path.field("dims"));
    if (runs.isPresent() && tensor.hasReshape()) {
      runs(tensor.getName() + " reshape", shape, reshape)
          .ifPresent(other -> checkReshape(subject, runs.get(), other, reshape));
    }
  }

  private boolean areDims(String subject, List<Long> dims, IntFunction<FieldPath> path) {
    boolean good = true;
    for (int i = 0; i < dims.size(); i++) {
      good &=
          require(
              dims.get(i) >= 1 || dims.get(i) == VARIABLE,
              path.apply(i),
              "%s must be integer >= 1, or -1 to indicate a variable-size dimension"
                  .formatted(subject));
    }
    return good;
  }

  /**
   * The product of each run of fixed dimensions before, between and after the variable ones; empty
   * if one exceeds a {@code long}.
   */
  private Optional<List<Long>> runs(String subject, List<Long> dims, FieldPath path) {
    var runs = new ArrayList<Long>();
    long run = 1;
    try {
      for (long dim : dims) {
        if (dim == VARIABLE) {
          runs.add(run);
          run = 1;
        } else {
          run = Math.multiplyExact(run, dim);
        }
      }
    } catch (ArithmeticException overflow) {
      require(
          false,
          path,
          "element count for tensor '%s' exceeds maximum size of %d"
              .formatted(subject, Long.MAX_VALUE));
      return Optional.empty();
    }
    runs.add(run);
    return Optional.of(runs);
  }

  private void checkReshape(String subject, List<Long> dims, List<Long> reshape, FieldPath path) {
    boolean areVariable = dims.size() > 1 && reshape.size() > 1;
    String difference =
        areVariable && dims.size() != reshape.size()
            ? "%s has different number of variable-size dimensions for dims and reshape"
            : "%s has different size for dims and reshape";
    require(dims.equals(reshape), path, difference.formatted(subject));
  }
}
