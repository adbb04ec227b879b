package io.nereid.server.model.config;

import io.nereid.error.InferenceException;
import io.nereid.server.protobuf.BatchInput;
import io.nereid.server.protobuf.BatchOutput;
import io.nereid.server.protobuf.DataType;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelInput;
import io.nereid.server.protobuf.ModelOutput;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for {@code batch_input} and {@code batch_output}. */
public final class BatchTensorValidator {
  private final ModelConfig config;

  private BatchTensorValidator(ModelConfig config) {
    this.config = config;
  }

  /**
   * Validates both settings.
   *
   * @throws InferenceException for the first violated rule
   */
  static void validate(ModelConfig config) {
    validateForm(config);
    new BatchTensorValidator(config).checkNames();
  }

  /**
   * Validates what does not depend on inputs and outputs, which may be incomplete.
   *
   * @throws InferenceException for the first violated rule
   */
  public static void validateForm(ModelConfig config) {
    new BatchTensorValidator(config).checkForm();
  }

  private void checkForm() {
    for (BatchInput input : config.getBatchInputList()) {
      checkSource(
          "input",
          input.getKind() == BatchInput.Kind.UNRECOGNIZED,
          input.getKind().name(),
          input.getSourceInputList());
      require(
          input.getDataType() == DataType.TYPE_INT32 || input.getDataType() == DataType.TYPE_FP32,
          "batch input data type must be TYPE_INT32 or TYPE_FP32");
    }
    for (BatchOutput output : config.getBatchOutputList()) {
      checkSource(
          "output",
          output.getKind() == BatchOutput.Kind.UNRECOGNIZED,
          output.getKind().name(),
          output.getSourceInputList());
    }
  }

  private void checkSource(String role, boolean unknown, String kind, List<String> sources) {
    require(!unknown, "batch %s has an unknown kind", role);
    require(
        sources.size() == 1,
        "batch %s kind '%s' expects 1 source input, got %d",
        role,
        kind,
        sources.size());
  }

  private void checkNames() {
    Set<String> inputs =
        config.getInputList().stream().map(ModelInput::getName).collect(Collectors.toSet());
    Set<String> outputs =
        config.getOutputList().stream().map(ModelOutput::getName).collect(Collectors.toSet());
    for (BatchInput input : config.getBatchInputList()) {
      checkKnown(input.getSourceInput(0), inputs);
    }
    var targets = new HashSet<String>();
    for (BatchOutput output : config.getBatchOutputList()) {
      checkKnown(output.getSourceInput(0), inputs);
      for (String target : output.getTargetNameList()) {
        require(outputs.contains(target), "unknown target output name '%s'", target);
        require(targets.add(target), "target output name '%s' can only be specified once", target);
        checkVariableDims(target, output.getSourceInput(0));
      }
    }
  }

  /** A variable dimension of an output gets its size from the same dimension of the source. */
  private void checkVariableDims(String target, String source) {
    int variable = -1;
    for (ModelOutput output : config.getOutputList()) {
      if (output.getName().equals(target)) {
        List<Long> dims =
            output.hasReshape() ? output.getReshape().getShapeList() : output.getDimsList();
        variable = dims.lastIndexOf(-1L);
      }
    }
    for (ModelInput input : config.getInputList()) {
      if (input.getName().equals(source)) {
        int rank = input.hasReshape() ? input.getReshape().getShapeCount() : input.getDimsCount();
        require(
            variable < rank,
            "target output '%s' has a variable dimension that its source input '%s' lacks",
            target,
            source);
      }
    }
  }

  private void checkKnown(String source, Set<String> inputs) {
    require(inputs.contains(source), "unknown source input name '%s'", source);
  }

  private void require(boolean condition, String format, Object... arguments) {
    ModelConfigValidator.require(
        condition, "%s for %s", format.formatted(arguments), config.getName());
  }
}
