package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelSequenceBatching.InitialState;
import io.nereid.protocol.config.ModelSequenceBatching.InitialState.StateDataCase;
import io.nereid.protocol.config.ModelSequenceBatching.State;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules for {@code state} of {@code sequence_batching}, applied when a version loads. {@code
 * InitialStates} validates the files of initial states when it reads them.
 */
public final class SequenceStateValidator extends ConfigRules {
  private static final System.Logger LOG = System.getLogger(SequenceStateValidator.class.getName());

  private SequenceStateValidator(ModelConfig config, ConfigProblems problems) {
    super(config, problems);
  }

  /**
   * Validates the states. A state that shares its input or output with an earlier one is ignored,
   * with a warning.
   */
  public static void check(ModelConfig config, ConfigProblems problems) {
    new SequenceStateValidator(config, problems).check();
    warnOfDuplicates(config);
  }

  private void check() {
    var initialized = new HashSet<String>();
    for (int i = 0; i < config.getSequenceBatching().getStateCount(); i++) {
      State state = config.getSequenceBatching().getState(i);
      FieldPath path = FieldPath.of("sequence_batching").element("state", i);
      require(
          config.getInputList().stream()
              .noneMatch(input -> input.getName().equals(state.getInputName())),
          path.field("input_name"),
          "sequence batching state '%s' must not be listed as an input"
              .formatted(state.getInputName()));
      for (int k = 0; k < state.getDimsCount(); k++) {
        require(
            state.getDims(k) >= -1,
            path.element("dims", k),
            ("state '%s' dimension must be integer >= 0, or -1 to indicate a variable-size"
                    + " dimension")
                .formatted(state.getInputName()));
      }
      int count = state.getInitialStateCount();
      problems.require(
          count <= 1,
          path.element("initial_state", 1),
          ("initial_state field for state input '%s' must contain exactly one or zero element."
                  + " Found '%d' elements.")
              .formatted(state.getInputName(), count));
      if (count > 0) {
        checkInitial(
            state, state.getInitialState(0), path.element("initial_state", 0), initialized);
      }
    }
  }

  private void checkInitial(
      State state, InitialState initial, FieldPath path, Set<String> initialized) {
    String input = state.getInputName();
    problems.require(
        initial.getDataType() == state.getDataType(),
        path.field("data_type"),
        ("The data type used for 'initial_state' field of state '%s' does not match the state data"
                + " type.")
            .formatted(input));
    problems.require(
        !initial.getName().isEmpty(),
        path.field("name"),
        "Field 'name' must be set when using initial_state for state input '%s'.".formatted(input));
    problems.require(
        initialized.add(input),
        path,
        "State input name '%s' specified more than once.".formatted(input));
    checkDims(input, state.getDimsList(), initial.getDimsList(), path);
    problems.require(
        initial.getStateDataCase() != StateDataCase.STATEDATA_NOT_SET,
        path,
        "initial_state setting expects state'%s' to have state_data set".formatted(input));
  }

  private void checkDims(String input, List<Long> state, List<Long> initial, FieldPath path) {
    if (!problems.require(
        initial.size() == state.size(),
        path.field("dims"),
        ("Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for"
                + " state input '%s'. %d != %d")
            .formatted(input, initial.size(), state.size()))) {
      return;
    }
    for (int i = 0; i < initial.size(); i++) {
      long dim = initial.get(i);
      FieldPath dimPath = path.element("dims", i);
      boolean fixed =
          problems.require(
              dim >= 0,
              dimPath,
              "'initial_state' field for state input name '%s' contains variable dimensions."
                  .formatted(input));
      problems.require(
          !fixed || state.get(i) == -1 || state.get(i) == dim,
          dimPath,
          "'initial_state' dim for input name '%s' doesn't match 'state' dim description. %d != %d"
              .formatted(input, dim, state.get(i)));
    }
  }

  private static void warnOfDuplicates(ModelConfig config) {
    List<State> states = config.getSequenceBatching().getStateList();
    int stated = states.size();
    int kept = SchedulingRecords.distinct(states).size();
    if (kept < stated) {
      LOG.log(
          Level.WARNING,
          "model ''{0}'': {1} of {2} states are ignored: they share an input or an output with an"
              + " earlier state",
          config.getName(),
          stated - kept,
          stated);
    }
  }
}
