package io.nereid.engine.model.config.conversion;

import static io.nereid.engine.model.config.conversion.ModelConfigRecords.dataType;
import static java.util.stream.Collectors.toMap;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelDynamicBatching;
import io.nereid.protocol.config.ModelEnsembling;
import io.nereid.protocol.config.ModelQueuePolicy;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelSequenceBatching.Control;
import io.nereid.protocol.config.ModelSequenceBatching.InitialState;
import io.nereid.protocol.config.ModelSequenceBatching.State;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Conversion of {@code scheduling_choice} to the record that schedulers read; {@link
 * SchedulingMessages} is its inverse.
 */
public record SchedulingRecords(String model) {
  /**
   * The scheduler of a message that has passed {@code ModelConfigValidator}.
   *
   * @throws InferenceException if a state has no type
   */
  public static SchedulingSettings record(ModelConfig message) {
    var records = new SchedulingRecords(message.getName());
    return switch (message.getSchedulingChoiceCase()) {
      case SCHEDULINGCHOICE_NOT_SET -> new SchedulingSettings.Direct();
      case DYNAMIC_BATCHING -> batching(message.getDynamicBatching());
      case SEQUENCE_BATCHING -> records.sequences(message.getSequenceBatching());
      case ENSEMBLE_SCHEDULING -> ensemble(message.getEnsembleScheduling());
    };
  }

  private static BatchingSettings batching(ModelDynamicBatching message) {
    return new BatchingSettings(
        message.getPreferredBatchSizeList(),
        message.getMaxQueueDelayMicroseconds(),
        message.getPreserveOrdering(),
        message.getPriorityLevels(),
        message.getDefaultPriorityLevel(),
        queuePolicy(message.getDefaultQueuePolicy()),
        message.getPriorityQueuePolicyMap().entrySet().stream()
            .collect(toMap(entry -> entry.getKey(), entry -> queuePolicy(entry.getValue()))));
  }

  private static QueuePolicy queuePolicy(ModelQueuePolicy policy) {
    return new QueuePolicy(
        policy.getTimeoutAction() == ModelQueuePolicy.TimeoutAction.DELAY
            ? QueuePolicy.TimeoutAction.DELAY
            : QueuePolicy.TimeoutAction.REJECT,
        policy.getDefaultTimeoutMicroseconds(),
        policy.getAllowTimeoutOverride(),
        Integer.toUnsignedLong(policy.getMaxQueueSize()));
  }

  private SequenceSettings sequences(ModelSequenceBatching message) {
    List<SequenceSettings.Control> controls =
        message.getControlInputList().stream()
            .flatMap(input ->
                input.getControlList().stream().map(each -> control(input.getName(), each)))
            .toList();
    return new SequenceSettings(
        message.getMaxSequenceIdleMicroseconds(),
        controls,
        strategy(message),
        distinct(message.getStateList()).stream().map(this::state).toList(),
        message.getIterativeSequence());
  }

  private SequenceSettings.Control control(String input, Control control) {
    var kind = SequenceSettings.Control.Kind.valueOf(control.getKind().name());
    if (kind == SequenceSettings.Control.Kind.CONTROL_SEQUENCE_CORRID) {
      DataType type = dataType(model, "sequence control", input, control.getDataType());
      return new SequenceSettings.Control(input, kind, type, 0, 0);
    }
    if (control.getInt32FalseTrueCount() > 0) {
      return new SequenceSettings.Control(
          input, kind, DataType.INT32, control.getInt32FalseTrue(0), control.getInt32FalseTrue(1));
    }
    if (control.getFp32FalseTrueCount() > 0) {
      return new SequenceSettings.Control(
          input, kind, DataType.FP32, control.getFp32FalseTrue(0), control.getFp32FalseTrue(1));
    }
    return new SequenceSettings.Control(
        input,
        kind,
        DataType.BOOL,
        control.getBoolFalseTrue(0) ? 1 : 0,
        control.getBoolFalseTrue(1) ? 1 : 0);
  }

  private static SequenceSettings.Strategy strategy(ModelSequenceBatching message) {
    if (message.hasOldest()) {
      var oldest = message.getOldest();
      return new SequenceSettings.Strategy.Oldest(
          oldest.getMaxCandidateSequences(),
          oldest.getPreferredBatchSizeList(),
          oldest.getMaxQueueDelayMicroseconds(),
          oldest.getPreserveOrdering());
    }
    var direct = message.getDirect(); // also where neither is chosen
    return new SequenceSettings.Strategy.Direct(
        direct.getMaxQueueDelayMicroseconds(), direct.getMinimumSlotUtilization());
  }

  /** The states that count: of those that share an input or an output the first. */
  public static List<State> distinct(List<State> states) {
    var distinct = new ArrayList<State>();
    var inputs = new HashSet<String>();
    var outputs = new HashSet<String>();
    for (State state : states) {
      if (!inputs.contains(state.getInputName()) && outputs.add(state.getOutputName())) {
        inputs.add(state.getInputName());
        distinct.add(state);
      }
    }
    return distinct;
  }

  private SequenceSettings.State state(State message) {
    String name = message.getInputName();
    return new SequenceSettings.State(
        name,
        message.getOutputName(),
        dataType(model, "sequence state", name, message.getDataType()),
        Shape.of(message.getDimsList()),
        message.getInitialStateList().stream().findFirst().map(initial -> initial(name, initial)),
        message.getUseSameBufferForInputOutput(),
        message.getUseGrowableMemory());
  }

  private SequenceSettings.InitialState initial(String state, InitialState message) {
    return new SequenceSettings.InitialState(
        message.getName(),
        dataType(model, "initial state of", state, message.getDataType()),
        Shape.of(message.getDimsList()),
        message.hasDataFile() ? Optional.of(message.getDataFile()) : Optional.empty());
  }

  private static EnsembleSettings ensemble(ModelEnsembling message) {
    return new EnsembleSettings(
        message.getStepList().stream().map(SchedulingRecords::step).toList(),
        Integer.toUnsignedLong(message.getMaxInflightRequests()));
  }

  private static EnsembleSettings.Step step(ModelEnsembling.Step message) {
    long version = message.getModelVersion();
    return new EnsembleSettings.Step(
        message.getModelName(),
        version < 0 ? OptionalLong.empty() : OptionalLong.of(version),
        message.getInputMapMap(),
        message.getOutputMapMap());
  }
}
