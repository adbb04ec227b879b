package io.nereid.engine.model.config;

import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules for inputs, outputs, {@code batch_input} and {@code batch_output}. Applied to complete
 * configurations: by the reader without automatic completion, else when a version loads.
 */
final class TensorConfigValidator {
  private static final String TENSORRT_PLAN = "tensorrt_plan";
  private static final long VARIABLE = -1;

  private final ModelConfig config;
  private final ConfigProblems problems;

  private TensorConfigValidator(ModelConfig config, ConfigProblems problems) {
    this.config = config;
    this.problems = problems;
  }

  /** Validates inputs, then outputs, then {@code batch_input} and {@code batch_output}. */
  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new TensorConfigValidator(config, problems);
    for (int i = 0; i < config.getInputCount(); i++) {
      validator.checkInput(config.getInput(i), FieldPath.of("input", i));
    }
    for (int i = 0; i < config.getOutputCount(); i++) {
      validator.checkOutput(config.getOutput(i), FieldPath.of("output", i));
    }
    BatchTensorValidator.check(config, problems);
  }

  private void checkInput(ModelInput input, FieldPath path) {
    var tensor =
        new Declared(
            path,
            "model input ",
            input.getName(),
            input.getDataType(),
            input.getDimsList(),
            input.hasReshape(),
            input.getReshape().getShapeList());
    checkTensor(tensor);
    require(
        input.getFormat() == ModelInput.Format.FORMAT_NONE || tensor.dims.size() == 3,
        path.field("format"),
        "model input NHWC/NCHW require 3 dims");
    checkSpecial(tensor, input.getIsShapeTensor(), input.getIsNonLinearFormatIo(), "input");
  }

  private void checkOutput(ModelOutput output, FieldPath path) {
    var tensor =
        new Declared(
            path,
            "model output ",
            output.getName(),
            output.getDataType(),
            output.getDimsList(),
            output.hasReshape(),
            output.getReshape().getShapeList());
    checkTensor(tensor);
    checkSpecial(tensor, output.getIsShapeTensor(), output.getIsNonLinearFormatIo(), "output");
  }

  /** The fields that inputs and outputs share. */
  private record Declared(
      FieldPath path,
      String role,
      String name,
      DataType dataType,
      List<Long> dims,
      boolean reshaped,
      List<Long> reshape) {}

  private boolean check(Declared tensor, boolean condition, FieldPath path, String message) {
    return require(condition, path, "%s'%s' %s", tensor.role, tensor.name, message);
  }

  private void checkTensor(Declared tensor) {
    FieldPath path = tensor.path;
    if (require(!tensor.name.isEmpty(), path.field("name"), "%smust specify 'name'", tensor.role)) {
      check(
          tensor,
          ModelConfigRecords.hasType(tensor.dataType),
          path.field("data_type"),
          "must specify 'data_type'");
      checkShapes(tensor);
    }
  }

  private void checkShapes(Declared tensor) {
    FieldPath reshape = tensor.path.field("reshape");
    boolean good =
        check(tensor, !tensor.dims.isEmpty(), tensor.path.field("dims"), "must specify 'dims'");
    check(
        tensor,
        config.getMaxBatchSize() > 0 || !tensor.reshaped || !tensor.reshape.isEmpty(),
        reshape,
        "cannot have empty reshape for non-batching model as scalar tensors are not supported");
    for (int i = 0; i < tensor.dims.size(); i++) {
      good &=
          check(
              tensor,
              isDim(tensor.dims.get(i)),
              tensor.path.element("dims", i),
              "dimension must be integer >= 1, or -1 to indicate a variable-size dimension");
    }
    for (int i = 0; i < tensor.reshape.size(); i++) {
      good &=
          check(
              tensor,
              isDim(tensor.reshape.get(i)),
              reshape.element("shape", i),
              "reshape dimensions must be integer >= 1, or -1 to indicate a variable-size"
                  + " dimension");
    }
    if (good) {
      checkSizes(tensor);
    }
  }

  private void checkSizes(Declared tensor) {
    FieldPath path = tensor.path.field("dims");
    try {
      Sizes dims = Sizes.of(tensor.name + " dims", tensor.dims);
      if (tensor.reshaped) {
        path = tensor.path.field("reshape");
        checkReshape(tensor, dims, Sizes.of(tensor.name + " reshape", tensor.reshape));
      }
    } catch (InferenceException tooLarge) {
      require(false, path, "%s", tooLarge.getMessage());
    }
  }

  private void checkReshape(Declared tensor, Sizes dims, Sizes reshape) {
    FieldPath path = tensor.path.field("reshape");
    String sizeDiffers = "has different size for dims and reshape";
    boolean comparable =
        check(tensor, dims.elementCount() == reshape.elementCount(), path, sizeDiffers)
            && check(
                tensor,
                dims.fixedRuns().size() == reshape.fixedRuns().size(),
                path,
                "has different number of variable-size dimensions for dims and reshape");
    check(tensor, !comparable || dims.fixedRuns().equals(reshape.fixedRuns()), path, sizeDiffers);
  }

  private void checkSpecial(Declared tensor, boolean shape, boolean nonLinear, String kind) {
    boolean tensorRt = config.getPlatform().equals(TENSORRT_PLAN);
    require(
        !shape || tensorRt,
        tensor.path.field("is_shape_tensor"),
        "shape tensors are only supported for TensorRT platform");
    FieldPath path = tensor.path.field("is_non_linear_format_io");
    require(
        !nonLinear || tensorRt,
        path,
        "Non-linear IO format is only supported for the TensorRT platform");
    require(
        !nonLinear || tensor.dims.size() == 3,
        path,
        "Non-linear IO format %s requires 3 dims",
        kind);
  }

  private boolean require(boolean condition, FieldPath path, String format, Object... arguments) {
    return condition
        || problems.require(
            false, path, "%s for %s", format.formatted(arguments), config.getName());
  }

  /**
   * The sizes that decide whether {@code dims} can be reshaped to {@code reshape}.
   *
   * @param elementCount the product; -1 if a dimension is variable
   * @param fixedRuns the product of each run of fixed dimensions before, between and after the
   *     variable ones
   */
  private record Sizes(long elementCount, List<Long> fixedRuns) {
    /**
     * @param subject the tensor, for the error
     * @param dims each -1 or positive; a scalar has none
     * @throws InferenceException if a product exceeds a {@code long}
     */
    static Sizes of(String subject, List<Long> dims) {
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
        throw InferenceException.invalid(
            "element count for tensor '%s' exceeds maximum size of %d"
                .formatted(subject, Long.MAX_VALUE));
      }
      runs.add(run);
      return new Sizes(dims.contains(VARIABLE) ? VARIABLE : run, List.copyOf(runs));
    }
  }

  private static boolean isDim(long dim) {
    return dim >= 1 || dim == VARIABLE;
  }
}
