package io.nereid.server.model.config;

import static io.nereid.server.model.config.ModelConfigValidator.require;

import io.nereid.error.InferenceException;
import io.nereid.server.model.config.conversion.SchedulingRecords;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelSequenceBatching.InitialState;
import io.nereid.server.protobuf.ModelSequenceBatching.InitialState.StateDataCase;
import io.nereid.server.protobuf.ModelSequenceBatching.State;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules for {@code state} of {@code sequence_batching}, applied when a version loads. {@code
 * InitialStates} validates the files of initial states when it reads them.
 */
public final class SequenceStateValidator {
  private static final System.Logger LOG = System.getLogger(SequenceStateValidator.class.getName());

  private SequenceStateValidator() {}

  /**
   * Validates the states. A state that shares its input or output with an earlier one is ignored,
   * with a warning.
   *
   * @throws InferenceException for the first violated rule
   */
  public static void validate(ModelConfig config) {
    var initialized = new HashSet<String>();
    for (State state : config.getSequenceBatching().getStateList()) {
      require(
          config.getInputList().stream()
              .noneMatch(input -> input.getName().equals(state.getInputName())),
          "sequence batching state '%s' must not be listed as an input for %s",
          state.getInputName(),
          config.getName());
      require(
          state.getDimsList().stream().allMatch(dim -> dim >= -1),
          "state '%s' dimension must be integer >= 0, or -1 to indicate a variable-size dimension"
              + " for %s",
          state.getInputName(),
          config.getName());
      int count = state.getInitialStateCount();
      require(
          count <= 1,
          "initial_state field for state input '%s' must contain exactly one or zero element."
              + " Found '%d' elements.",
          state.getInputName(),
          count);
      if (count == 1) {
        checkInitial(state, state.getInitialState(0), initialized);
      }
    }
    warnOfDuplicates(config);
  }

  private static void checkInitial(State state, InitialState initial, Set<String> initialized) {
    String input = state.getInputName();
    require(
        initial.getDataType() == state.getDataType(),
        "The data type used for 'initial_state' field of state '%s' does not match the state data"
            + " type.",
        input);
    require(
        !initial.getName().isEmpty(),
        "Field 'name' must be set when using initial_state for state input '%s'.",
        input);
    require(initialized.add(input), "State input name '%s' specified more than once.", input);
    checkDims(input, state.getDimsList(), initial.getDimsList());
    require(
        initial.getStateDataCase() != StateDataCase.STATEDATA_NOT_SET,
        "initial_state setting expects state'%s' to have state_data set",
        input);
  }

  private static void checkDims(String input, List<Long> state, List<Long> initial) {
    require(
        initial.size() == state.size(),
        "Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for"
            + " state input '%s'. %d != %d",
        input,
        initial.size(),
        state.size());
    for (int i = 0; i < initial.size(); i++) {
      long dim = initial.get(i);
      require(
          dim >= 0,
          "'initial_state' field for state input name '%s' contains variable dimensions.",
          input);
      require(
          state.get(i) == -1 || state.get(i) == dim,
          "'initial_state' dim for input name '%s' doesn't match 'state' dim description. %d != %d",
          input,
          dim,
          state.get(i));
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
