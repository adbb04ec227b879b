package io.nereid.engine.model.config;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelSequenceBatching.Control;
import java.util.ArrayList;
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

  private static final FieldPath PATH = FieldPath.of("sequence_batching");

  private final ModelSequenceBatching sequences;
  private final ModelConfig config;
  private final String model;
  private final ConfigProblems problems;

  private SequenceBatchingValidator(ModelConfig config, ConfigProblems problems) {
    this.sequences = config.getSequenceBatching();
    this.config = config;
    this.model = config.getName();
    this.problems = problems;
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new SequenceBatchingValidator(config, problems);
    validator.checkControlNames();
    validator.checkControlKinds();
    ORDER.forEach(validator::checkControl);
    validator.checkStrategy();
  }

  private void checkControlNames() {
    var seen = new HashSet<String>();
    for (int i = 0; i < sequences.getControlInputCount(); i++) {
      String name = sequences.getControlInput(i).getName();
      FieldPath path = PATH.element("control_input", i).field("name");
      if (!problems.require(
          !name.isEmpty(),
          path,
          "sequence batching control tensor must have a name for %s",
          model)) {
        continue;
      }
      problems.require(
          seen.add(name),
          path,
          "sequence batching control tensor '%s' is specified for multiple control kinds for %s",
          name,
          model);
      problems.require(
          config.getInputList().stream().noneMatch(listed -> listed.getName().equals(name)),
          path,
          "sequence batching control tensor '%s' must not be listed as an input for %s",
          name,
          model);
    }
  }

  private void checkControlKinds() {
    for (Placed each : controls()) {
      problems.require(
          ORDER.contains(each.control.getKind()),
          each.path.field("kind"),
          "sequence batching control tensor '%s' has an unknown kind for %s",
          each.tensor,
          model);
    }
  }

  /**
   * A control and where it is.
   *
   * @param tensor the name of its tensor
   */
  private record Placed(String tensor, Control control, FieldPath path) {}

  private List<Placed> controls() {
    var controls = new ArrayList<Placed>();
    for (int i = 0; i < sequences.getControlInputCount(); i++) {
      var input = sequences.getControlInput(i);
      for (int k = 0; k < input.getControlCount(); k++) {
        controls.add(
            new Placed(
                input.getName(),
                input.getControl(k),
                PATH.element("control_input", i).element("control", k)));
      }
    }
    return controls;
  }

  private void checkControl(Control.Kind kind) {
    List<Placed> controls =
        controls().stream().filter(each -> each.control.getKind() == kind).toList();
    if (controls.size() > 1) {
      problems.require(
          false,
          controls.get(1).path.field("kind"),
          "sequence batching specifies multiple %s tensors for %s",
          kind,
          model);
    }
    for (Placed each : controls) {
      if (kind == Control.Kind.CONTROL_SEQUENCE_CORRID) {
        checkId(each);
      } else {
        checkFlag(each.control, each.path, kind);
      }
    }
  }

  private void checkFlag(Control control, FieldPath path, Control.Kind kind) {
    int lists = listCount(control);
    problems.require(
        lists >= 1,
        path,
        "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or"
            + " 'bool_false_true' for %s for %s",
        kind,
        model);
    problems.require(
        lists <= 1,
        path,
        "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and"
            + " 'bool_false_true' for %s for %s",
        kind,
        model);
    checkPair("int32_false_true", control.getInt32FalseTrueCount(), path, kind);
    checkPair("fp32_false_true", control.getFp32FalseTrueCount(), path, kind);
    checkPair("bool_false_true", control.getBoolFalseTrueCount(), path, kind);
  }

  private void checkPair(String list, int count, FieldPath path, Control.Kind kind) {
    problems.require(
        count == 0 || count == 2,
        path.field(list),
        "sequence batching control '%s' must have exactly 2 entries for %s for %s",
        list,
        kind,
        model);
  }

  private void checkId(Placed each) {
    problems.require(
        listCount(each.control) == 0,
        each.path,
        "sequence batching must not specify either 'int32_false_true', 'fp32_false_true' or"
            + " 'bool_false_true' for CONTROL_SEQUENCE_CORRID for %s",
        model);
    problems.require(
        ID_TYPES.contains(each.control.getDataType()),
        each.path.field("data_type"),
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
    for (int i = 0; i < sequences.getOldest().getPreferredBatchSizeCount(); i++) {
      int size = sequences.getOldest().getPreferredBatchSize(i);
      FieldPath path = PATH.field("oldest").element("preferred_batch_size", i);
      problems.require(
          size > 0, path, "sequence batching preferred batch size must be positive for %s", model);
      problems.require(
          size <= config.getMaxBatchSize(),
          path,
          "sequence batching preferred batch size must be <= max batch size for %s",
          model);
    }
    // Triton accepts 0, although its message excludes it.
    float utilization = sequences.getDirect().getMinimumSlotUtilization();
    problems.require(
        utilization >= 0 && utilization <= 1,
        PATH.field("direct").field("minimum_slot_utilization"),
        "sequence batching minimum slot utilization must be in range (0.0, 1.0] for %s",
        model);
  }
}
