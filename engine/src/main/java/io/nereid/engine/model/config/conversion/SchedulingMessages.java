package io.nereid.engine.model.config.conversion;

import static io.nereid.engine.model.config.conversion.ModelConfigMerge.dims;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelDynamicBatching;
import io.nereid.protocol.config.ModelQueuePolicy;
import io.nereid.protocol.config.ModelSequenceBatching;
import io.nereid.protocol.config.ModelSequenceBatching.Control;
import io.nereid.protocol.config.ModelSequenceBatching.ControlInput;
import io.nereid.protocol.config.ModelSequenceBatching.InitialState;
import io.nereid.protocol.config.ModelSequenceBatching.State;
import java.util.LinkedHashMap;

/**
 * Conversion of a scheduler's record to the message, for schedulers that a backend chooses and for
 * the scheduler journal. {@link SchedulingRecords} is its inverse.
 */
public final class SchedulingMessages {
  private SchedulingMessages() {}

  /** A configuration with a scheduling choice only; of no ensemble. */
  public static ModelConfig message(SchedulingSettings settings) {
    var message = ModelConfig.newBuilder();
    switch (settings) {
      case SchedulingSettings.Direct _ -> {}
      case BatchingSettings batching -> message.setDynamicBatching(batching(batching));
      case SequenceSettings sequences -> message.setSequenceBatching(sequences(sequences));
      case EnsembleSettings _ -> throw new IllegalArgumentException("an ensemble: " + settings);
    }
    return message.build();
  }

  private static ModelDynamicBatching batching(BatchingSettings settings) {
    var message =
        ModelDynamicBatching.newBuilder()
            .addAllPreferredBatchSize(settings.preferredBatchSizes())
            .setMaxQueueDelayMicroseconds(settings.maxQueueDelayMicros())
            .setPreserveOrdering(settings.preserveOrdering())
            .setPriorityLevels(settings.priorityLevels())
            .setDefaultPriorityLevel(settings.defaultPriorityLevel());
    if (!settings.defaultQueuePolicy().equals(QueuePolicy.NONE)) {
      message.setDefaultQueuePolicy(queuePolicy(settings.defaultQueuePolicy()));
    }
    settings
        .priorityQueuePolicies()
        .forEach((level, policy) -> message.putPriorityQueuePolicy(level, queuePolicy(policy)));
    return message.build();
  }

  private static ModelQueuePolicy queuePolicy(QueuePolicy policy) {
    return ModelQueuePolicy.newBuilder()
        .setTimeoutAction(ModelQueuePolicy.TimeoutAction.valueOf(policy.timeoutAction().name()))
        .setDefaultTimeoutMicroseconds(policy.defaultTimeoutMicros())
        .setAllowTimeoutOverride(policy.allowTimeoutOverride())
        .setMaxQueueSize((int) policy.maxQueueSize()) // unsigned
        .build();
  }

  private static ModelSequenceBatching sequences(SequenceSettings settings) {
    var message =
        ModelSequenceBatching.newBuilder()
            .setMaxSequenceIdleMicroseconds(settings.maxSequenceIdleMicros())
            .setIterativeSequence(settings.iterative());
    var inputs = new LinkedHashMap<String, ControlInput.Builder>();
    for (var control : settings.controls()) {
      inputs
          .computeIfAbsent(control.inputName(), name -> ControlInput.newBuilder().setName(name))
          .addControl(control(control));
    }
    inputs.values().forEach(message::addControlInput);
    switch (settings.strategy()) {
      case Strategy.Direct(long maxDelay, double utilization) ->
          message
              .getDirectBuilder()
              .setMaxQueueDelayMicroseconds(maxDelay)
              .setMinimumSlotUtilization((float) utilization);
      case Strategy.Oldest oldest ->
          message
              .getOldestBuilder()
              .setMaxCandidateSequences(oldest.maxCandidateSequences())
              .addAllPreferredBatchSize(oldest.preferredBatchSizes())
              .setMaxQueueDelayMicroseconds(oldest.maxQueueDelayMicros())
              .setPreserveOrdering(oldest.preserveOrdering());
    }
    settings.states().forEach(state -> message.addState(state(state)));
    return message.build();
  }

  private static Control control(SequenceSettings.Control control) {
    var message = Control.newBuilder().setKind(Control.Kind.valueOf(control.kind().name()));
    double no = control.falseValue();
    double yes = control.trueValue();
    if (control.kind() == SequenceSettings.Control.Kind.CONTROL_SEQUENCE_CORRID) {
      return message.setDataType(DataType.valueOf(control.dataType().configName())).build();
    }
    return switch (control.dataType()) {
      case INT32 -> message.addInt32FalseTrue((int) no).addInt32FalseTrue((int) yes).build();
      case FP32 -> message.addFp32FalseTrue((float) no).addFp32FalseTrue((float) yes).build();
      case BOOL -> message.addBoolFalseTrue(no != 0).addBoolFalseTrue(yes != 0).build();
      default ->
          throw new IllegalArgumentException(
              "control '%s' is neither INT32, FP32 nor BOOL, but %s"
                  .formatted(control.inputName(), control.dataType()));
    };
  }

  private static State state(SequenceSettings.State state) {
    var message =
        State.newBuilder()
            .setInputName(state.inputName())
            .setOutputName(state.outputName())
            .setDataType(DataType.valueOf(state.dataType().configName()))
            .addAllDims(dims(state.dims()))
            .setUseSameBufferForInputOutput(state.sameBuffer())
            .setUseGrowableMemory(state.growable());
    state.initial().ifPresent(initial -> message.addInitialState(initial(initial)));
    return message.build();
  }

  private static InitialState initial(SequenceSettings.InitialState initial) {
    var message =
        InitialState.newBuilder()
            .setName(initial.name())
            .setDataType(DataType.valueOf(initial.dataType().configName()))
            .addAllDims(dims(initial.dims()));
    initial.dataFile().ifPresentOrElse(message::setDataFile, () -> message.setZeroData(true));
    return message.build();
  }
}
