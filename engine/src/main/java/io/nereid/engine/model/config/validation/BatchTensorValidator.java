package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.BatchInput;
import io.nereid.protocol.config.BatchOutput;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for {@code batch_input} and {@code batch_output}. */
public final class BatchTensorValidator extends ConfigRules {

  private BatchTensorValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
  }

  /** Validates both settings. */
  public static void check(ModelConfig config, ConfigProblems problems) {
    checkForm(config, problems);
    new BatchTensorValidator(config, problems).checkNames();
  }

  /** Validates what does not depend on inputs and outputs, which may be incomplete. */
  public static void checkForm(ModelConfig config, ConfigProblems problems) {
    new BatchTensorValidator(config, problems).checkForm();
  }

  private void checkForm() {
    for (int i = 0; i < config.getBatchInputCount(); i++) {
      BatchInput input = config.getBatchInput(i);
      FieldPath path = FieldPath.of("batch_input", i);
      checkSource("input", path, input.getKind().name(), input.getSourceInputList());
      require(
          input.getDataType() == DataType.TYPE_INT32 || input.getDataType() == DataType.TYPE_FP32,
          path.field("data_type"),
          "batch input data type must be TYPE_INT32 or TYPE_FP32");
    }
    for (int i = 0; i < config.getBatchOutputCount(); i++) {
      BatchOutput output = config.getBatchOutput(i);
      FieldPath path = FieldPath.of("batch_output", i);
      checkSource("output", path, output.getKind().name(), output.getSourceInputList());
    }
  }

  private void checkSource(String role, FieldPath path, String kind, List<String> sources) {
    boolean known = !kind.equals(BatchInput.Kind.UNRECOGNIZED.name());
    require(known, path.field("kind"), "batch %s has an unknown kind".formatted(role));
    require(
        sources.size() == 1,
        path.field("source_input"),
        "batch %s kind '%s' expects 1 source input, got %d".formatted(role, kind, sources.size()));
  }

  private void checkNames() {
    Set<String> inputs =
        config.getInputList().stream().map(ModelInput::getName).collect(Collectors.toSet());
    Set<String> outputs =
        config.getOutputList().stream().map(ModelOutput::getName).collect(Collectors.toSet());
    for (int i = 0; i < config.getBatchInputCount(); i++) {
      checkKnown(
          config.getBatchInput(i).getSourceInputList(), FieldPath.of("batch_input", i), inputs);
    }
    var targets = new HashSet<String>();
    for (int i = 0; i < config.getBatchOutputCount(); i++) {
      BatchOutput output = config.getBatchOutput(i);
      FieldPath path = FieldPath.of("batch_output", i);
      checkKnown(output.getSourceInputList(), path, inputs);
      for (int k = 0; k < output.getTargetNameCount(); k++) {
        String target = output.getTargetName(k);
        FieldPath targetPath = path.element("target_name", k);
        require(
            outputs.contains(target),
            targetPath,
            "unknown target output name '%s'".formatted(target));
        require(
            targets.add(target),
            targetPath,
            "target output name '%s' can only be specified once".formatted(target));
        for (String source : output.getSourceInputList()) {
          checkVariableDims(target, source, targetPath);
        }
      }
    }
  }

  /** A variable dimension of an output gets its size from the same dimension of the source. */
  private void checkVariableDims(String target, String source, FieldPath path) {
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
            path,
            "target output '%s' has a variable dimension that its source input '%s' lacks"
                .formatted(target, source));
      }
    }
  }

  private void checkKnown(List<String> sources, FieldPath path, Set<String> inputs) {
    for (int k = 0; k < sources.size(); k++) {
      require(
          inputs.contains(sources.get(k)),
          path.element("source_input", k),
          "unknown source input name '%s'".formatted(sources.get(k)));
    }
  }
}
