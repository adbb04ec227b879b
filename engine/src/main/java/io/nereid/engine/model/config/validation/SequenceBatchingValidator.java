package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelSequenceBatching.Control;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The rules for {@code sequence_batching}, except those for states, which {@link
 * SequenceStateValidator} applies when a version loads.
 */
final class SequenceBatchingValidator extends ConfigRules {
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

  /** The lists of a control, of which a flag has one. */
  private static final List<String> LISTS =
      List.of("int32_false_true", "fp32_false_true", "bool_false_true");

  private static final FieldPath PATH = FieldPath.of("sequence_batching");

  private final ModelSequenceBatching sequences;

  private SequenceBatchingValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
    this.sequences = config.getSequenceBatching();
  }

  static void check(ModelConfig config, ConfigProblems problems) {
    var validator = new SequenceBatchingValidator(config, problems);
    validator.checkControlNames();
    List<Placed> controls = validator.controls();
    for (Placed each : controls) {
      validator.require(
          ORDER.contains(each.control.getKind()),
          each.path.field("kind"),
          "sequence batching control tensor '%s' has an unknown kind".formatted(each.tensor));
    }
    ORDER.forEach(kind -> validator.checkControls(kind, controls));
    validator.checkStrategy();
  }

  private void checkControlNames() {
    var seen = new HashSet<String>();
    for (int i = 0; i < sequences.getControlInputCount(); i++) {
      String name = sequences.getControlInput(i).getName();
      FieldPath path = PATH.element("control_input", i).field("name");
      if (!require(!name.isEmpty(), path, "sequence batching control tensor must have a name")) {
        continue;
      }
      require(
          seen.add(name),
          path,
          "sequence batching control tensor '%s' is specified for multiple control kinds"
              .formatted(name));
      require(
          config.getInputList().stream().noneMatch(listed -> listed.getName().equals(name)),
          path,
          "sequence batching control tensor '%s' must not be listed as an input".formatted(name));
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

  private void checkControls(Control.Kind kind, List<Placed> all) {
    List<Placed> controls = all.stream().filter(each -> each.control.getKind() == kind).toList();
    if (controls.size() > 1) {
      require(
          false,
          controls.get(1).path.field("kind"),
          "sequence batching specifies multiple %s tensors".formatted(kind));
    }
    for (Placed each : controls) {
      if (kind == Control.Kind.CONTROL_SEQUENCE_CORRID) {
        checkId(each);
      } else {
        checkFlag(each);
      }
    }
  }

  private void checkFlag(Placed each) {
    Control.Kind kind = each.control.getKind();
    long lists = counts(each.control).filter(count -> count > 0).count();
    require(
        lists >= 1,
        each.path,
        ("sequence batching must specify either 'int32_false_true', 'fp32_false_true' or"
                + " 'bool_false_true' for %s")
            .formatted(kind));
    require(
        lists <= 1,
        each.path,
        ("sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and"
                + " 'bool_false_true' for %s")
            .formatted(kind));
    int[] counts = counts(each.control).toArray();
    for (int i = 0; i < counts.length; i++) {
      require(
          counts[i] == 0 || counts[i] == 2,
          each.path.field(LISTS.get(i)),
          "sequence batching control '%s' must have exactly 2 entries for %s"
              .formatted(LISTS.get(i), kind));
    }
  }

  private void checkId(Placed each) {
    require(
        counts(each.control).sum() == 0,
        each.path,
        "sequence batching must not specify either 'int32_false_true', 'fp32_false_true' or"
            + " 'bool_false_true' for CONTROL_SEQUENCE_CORRID");
    problems.require(
        ID_TYPES.contains(each.control.getDataType()),
        each.path.field("data_type"),
        ("unexpected data type for control CONTROL_SEQUENCE_CORRID for %s. Allowed data types are"
                + " TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING")
            .formatted(model));
  }

  /** The lengths of {@link #LISTS}. */
  private static IntStream counts(Control control) {
    return IntStream.of(
        control.getInt32FalseTrueCount(),
        control.getFp32FalseTrueCount(),
        control.getBoolFalseTrueCount());
  }

  private void checkStrategy() {
    requireSizes(
        sequences.getOldest().getPreferredBatchSizeList(),
        PATH.field("oldest"),
        "sequence batching preferred batch size");
    // Triton accepts 0, although its message excludes it.
    float utilization = sequences.getDirect().getMinimumSlotUtilization();
    require(
        utilization >= 0 && utilization <= 1,
        PATH.field("direct").field("minimum_slot_utilization"),
        "sequence batching minimum slot utilization must be in range (0.0, 1.0]");
  }
}
