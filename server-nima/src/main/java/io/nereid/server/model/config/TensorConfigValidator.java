package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigValidator.require;

import io.nereid.error.InferenceException;
import io.nereid.server.model.config.conversion.ModelConfigRecords;
import io.nereid.server.protobuf.DataType;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelInput;
import io.nereid.server.protobuf.ModelOutput;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules for inputs, outputs, {@code batch_input} and {@code batch_output}. Applied to complete
 * configurations: by the reader without automatic completion, else when a version loads.
 */
public final class TensorConfigValidator {
  private static final String TENSORRT_PLAN = "tensorrt_plan";
  private static final long VARIABLE = -1;

  private final String platform;
  private final boolean batches;

  private TensorConfigValidator(ModelConfig config) {
    this.platform = config.getPlatform();
    this.batches = config.getMaxBatchSize() > 0;
  }

  /**
   * Validates inputs, then outputs, then {@code batch_input} and {@code batch_output}.
   *
   * @throws InferenceException for the first violated rule
   */
  public static void validate(ModelConfig config) {
    var validator = new TensorConfigValidator(config);
    try {
      config.getInputList().forEach(validator::checkInput);
      config.getOutputList().forEach(validator::checkOutput);
    } catch (InferenceException broken) {
      throw InferenceException.invalid(
          "%s for %s".formatted(broken.getMessage(), config.getName()));
    }
    BatchTensorValidator.validate(config);
  }

  private void checkInput(ModelInput input) {
    var tensor =
        new Declared(
            "model input ",
            input.getName(),
            input.getDataType(),
            input.getDimsList(),
            input.hasReshape(),
            input.getReshape().getShapeList());
    checkShape(tensor);
    require(
        input.getFormat() == ModelInput.Format.FORMAT_NONE || tensor.dims.size() == 3,
        "model input NHWC/NCHW require 3 dims");
    checkSpecial(input.getIsShapeTensor(), input.getIsNonLinearFormatIo(), "input", tensor.dims);
  }

  private void checkOutput(ModelOutput output) {
    var tensor =
        new Declared(
            "model output ",
            output.getName(),
            output.getDataType(),
            output.getDimsList(),
            output.hasReshape(),
            output.getReshape().getShapeList());
    checkShape(tensor);
    checkSpecial(output.getIsShapeTensor(), output.getIsNonLinearFormatIo(), "output", tensor.dims);
  }

  /** The fields that inputs and outputs share. */
  private record Declared(
      String role,
      String name,
      DataType dataType,
      List<Long> dims,
      boolean reshaped,
      List<Long> reshape) {
    void check(boolean condition, String message) {
      require(condition, "%s'%s' %s", role, name, message);
    }
  }

  private void checkShape(Declared tensor) {
    require(!tensor.name.isEmpty(), "%smust specify 'name'", tensor.role);
    tensor.check(ModelConfigRecords.hasType(tensor.dataType), "must specify 'data_type'");
    tensor.check(!tensor.dims.isEmpty(), "must specify 'dims'");
    tensor.check(
        batches || !tensor.reshaped || !tensor.reshape.isEmpty(),
        "cannot have empty reshape for non-batching model as scalar tensors are not supported");
    tensor.check(
        tensor.dims.stream().allMatch(TensorConfigValidator::isDim),
        "dimension must be integer >= 1, or -1 to indicate a variable-size dimension");
    tensor.check(
        tensor.reshape.stream().allMatch(TensorConfigValidator::isDim),
        "reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension");
    Sizes dims = Sizes.of(tensor.name + " dims", tensor.dims);
    if (tensor.reshaped) {
      checkReshape(tensor, dims, Sizes.of(tensor.name + " reshape", tensor.reshape));
    }
  }

  private static void checkReshape(Declared tensor, Sizes dims, Sizes reshape) {
    String sizeDiffers = "has different size for dims and reshape";
    tensor.check(dims.elementCount() == reshape.elementCount(), sizeDiffers);
    tensor.check(
        dims.fixedRuns().size() == reshape.fixedRuns().size(),
        "has different number of variable-size dimensions for dims and reshape");
    tensor.check(dims.fixedRuns().equals(reshape.fixedRuns()), sizeDiffers);
  }

  private void checkSpecial(boolean shape, boolean nonLinear, String kind, List<Long> dims) {
    require(
        !shape || platform.equals(TENSORRT_PLAN),
        "shape tensors are only supported for TensorRT platform");
    require(
        !nonLinear || platform.equals(TENSORRT_PLAN),
        "Non-linear IO format is only supported for the TensorRT platform");
    require(!nonLinear || dims.size() == 3, "Non-linear IO format %s requires 3 dims", kind);
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
