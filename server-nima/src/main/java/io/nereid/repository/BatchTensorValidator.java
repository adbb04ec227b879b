package io.nereid.repository;

import static io.nereid.repository.ModelConfigValidator.require;

import io.nereid.protocol.wire.BatchInput;
import io.nereid.protocol.wire.BatchOutput;
import io.nereid.protocol.wire.DataType;
import io.nereid.protocol.wire.ModelConfig;
import io.nereid.protocol.wire.ModelInput;
import io.nereid.protocol.wire.ModelOutput;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for {@code batch_input} and {@code batch_output}. */
final class BatchTensorValidator {
  private BatchTensorValidator() {}

  static void validate(ModelConfig config) {
    Set<String> inputs =
        config.getInputList().stream().map(ModelInput::getName).collect(Collectors.toSet());
    Set<String> outputs =
        config.getOutputList().stream().map(ModelOutput::getName).collect(Collectors.toSet());
    for (BatchInput input : config.getBatchInputList()) {
      checkOneSource("input", input.getKind().toString(), input.getSourceInputList());
      require(
          input.getDataType() == DataType.TYPE_INT32 || input.getDataType() == DataType.TYPE_FP32,
          "batch input data type must be TYPE_INT32 or TYPE_FP32");
      checkKnown(input.getSourceInputList(), inputs);
    }
    var targets = new HashSet<String>();
    for (BatchOutput output : config.getBatchOutputList()) {
      checkOneSource("output", output.getKind().toString(), output.getSourceInputList());
      checkKnown(output.getSourceInputList(), inputs);
      for (String target : output.getTargetNameList()) {
        require(outputs.contains(target), "unknown target output name '%s'", target);
        require(targets.add(target), "target output name '%s' can only be specified once", target);
      }
    }
  }

  private static void checkOneSource(String role, String kind, List<String> sources) {
    require(
        sources.size() == 1,
        "batch %s kind '%s' expects 1 source input, got %d",
        role,
        kind,
        sources.size());
  }

  private static void checkKnown(List<String> sources, Set<String> inputs) {
    for (String source : sources) {
      require(inputs.contains(source), "unknown source input name '%s'", source);
    }
  }
}
