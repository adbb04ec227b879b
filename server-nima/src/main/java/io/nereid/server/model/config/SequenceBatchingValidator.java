package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigValidator.require;

import io.nereid.server.protobuf.DataType;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelSequenceBatching;
import io.nereid.server.protobuf.ModelSequenceBatching.Control;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules for {@code sequence_batching}, except those for states, which {@link
 * SequenceStateValidator} applies when a version loads.
 */
final class SequenceBatchingValidator {
  private static final Set<DataType> ID_TYPES =
      Set.of(
          DataType.TYPE_UINT64,
          DataType.TYPE_INT64,
          DataType.TYPE_UINT32,
          DataType.TYPE_INT32,
          DataType.TYPE_STRING);

  private static final List<Control.Kind> ORDER =
      List.of(
          Control.Kind.CONTROL_SEQUENCE_START,
          Control.Kind.CONTROL_SEQUENCE_END,
          Control.Kind.CONTROL_SEQUENCE_READY,
          Control.Kind.CONTROL_SEQUENCE_CORRID);

  private final ModelSequenceBatching sequences;
  private final ModelConfig config;
  private final String model;

  private SequenceBatchingValidator(ModelConfig config) {
    this.sequences = config.getSequenceBatching();
    this.config = config;
    this.model = config.getName();
  }

  static void validate(ModelConfig config) {
    var validator = new SequenceBatchingValidator(config);
    validator.checkControlNames();
    validator.checkControlKinds();
    ORDER.forEach(validator::checkControl);
    validator.checkStrategy();
  }

  private void checkControlNames() {
    var seen = new HashSet<String>();
    for (var input : sequences.getControlInputList()) {
      require(
          !input.getName().isEmpty(),
          "sequence batching control tensor must have a name for %s",
          model);
      require(
          seen.add(input.getName()),
          "sequence batching control tensor '%s' is specified for multiple control kinds for %s",
          input.getName(),
          model);
      require(
          config.getInputList().stream()
              .noneMatch(listed -> listed.getName().equals(input.getName())),
          "sequence batching control tensor '%s' must not be listed as an input for %s",
          input.getName(),
          model);
    }
  }

  private void checkControlKinds() {
    for (var input : sequences.getControlInputList()) {
      for (Control control : input.getControlList()) {
        require(
            ORDER.contains(control.getKind()),
            "sequence batching control tensor '%s' has an unknown kind for %s",
            input.getName(),
            model);
      }
    }
  }

  private void checkControl(Control.Kind kind) {
    var controls =
        sequences.getControlInputList().stream()
            .flatMap(input -> input.getControlList().stream())
            .filter(control -> control.getKind() == kind)
            .toList();
    require(
        controls.size() <= 1,
        "sequence batching specifies multiple %s tensors for %s",
        kind,
        model);
    for (Control control : controls) {
      if (kind == Control.Kind.CONTROL_SEQUENCE_CORRID) {
        checkId(control);
      } else {
        checkFlag(control);
      }
    }
  }

  private void checkFlag(Control control) {
    Control.Kind kind = control.getKind();
    int lists = listCount(control);
    require(
        lists >= 1,
        "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or"
            + " 'bool_false_true' for %s for %s",
        kind,
        model);
    require(
        lists == 1,
        "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and"
            + " 'bool_false_true' for %s for %s",
        kind,
        model);
    checkPair("int32_false_true", control.getInt32FalseTrueCount(), kind);
    checkPair("fp32_false_true", control.getFp32FalseTrueCount(), kind);
    checkPair("bool_false_true", control.getBoolFalseTrueCount(), kind);
  }

  private void checkPair(String list, int count, Control.Kind kind) {
    require(
        count == 0 || count == 2,
        "sequence batching control '%s' must have exactly 2 entries for %s for %s",
        list,
        kind,
        model);
  }

  private void checkId(Control control) {
    require(
        listCount(control) == 0,
        "sequence batching must not specify either 'int32_false_true', 'fp32_false_true' or"
            + " 'bool_false_true' for CONTROL_SEQUENCE_CORRID for %s",
        model);
    require(
        ID_TYPES.contains(control.getDataType()),
        "unexpected data type for control CONTROL_SEQUENCE_CORRID for %s. Allowed data types are"
            + " TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING",
        model);
  }

  private static int listCount(Control control) {
    return Math.min(1, control.getInt32FalseTrueCount())
        + Math.min(1, control.getFp32FalseTrueCount())
        + Math.min(1, control.getBoolFalseTrueCount());
  }

  private void checkStrategy() {
    for (int size : sequences.getOldest().getPreferredBatchSizeList()) {
      require(size > 0, "sequence batching preferred batch size must be positive for %s", model);
      require(
          size <= config.getMaxBatchSize(),
          "sequence batching preferred batch size must be <= max batch size for %s",
          model);
    }
    // Triton accepts 0, although its message excludes it.
    float utilization = sequences.getDirect().getMinimumSlotUtilization();
    require(
        utilization >= 0 && utilization <= 1,
        "sequence batching minimum slot utilization must be in range (0.0, 1.0] for %s",
        model);
  }
}
