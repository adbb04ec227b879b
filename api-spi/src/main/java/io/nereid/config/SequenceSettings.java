package io.nereid.config;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * {@code sequence_batching}.
 *
 * @param maxSequenceIdleMicros a sequence that sends nothing for so long loses its slot
 * @param controls inputs that the server adds, to tell the model where in a sequence it is
 * @param states what a sequence carries from one request to the next
 * @param iterative a request may be run again and again until the model ends its sequence
 */
public record SequenceSettings(
    long maxSequenceIdleMicros,
    List<Control> controls,
    Strategy strategy,
    List<State> states,
    boolean iterative)
    implements SchedulingSettings {
  public SequenceSettings {
    controls = List.copyOf(controls);
    states = List.copyOf(states);
  }

  /** How sequences get their place in a batch. */
  public sealed interface Strategy {
    /**
     * Each sequence has a row of its own for as long as it lives.
     *
     * @param minimumSlotUtilization the part of all slots that must be ready for a batch to go
     *     before {@code maxQueueDelayMicros} are over; 0 to 1
     */
    record Direct(long maxQueueDelayMicros, double minimumSlotUtilization) implements Strategy {}

    /**
     * Sequences share batches, the oldest requests first, one request of a sequence at a time.
     *
     * @param maxCandidateSequences sequences that an instance has under way; 0: as many as the
     *     model's maximum batch size
     */
    record Oldest(
        int maxCandidateSequences,
        List<Integer> preferredBatchSizes,
        long maxQueueDelayMicros,
        boolean preserveOrdering)
        implements Strategy {
      public Oldest {
        preferredBatchSizes = List.copyOf(preferredBatchSizes);
      }
    }
  }

  /**
   * An input of shape [1], or [1, 1] for a batching model, that the server fills in.
   *
   * @param dataType of {@link Kind#CONTROL_SEQUENCE_CORRID} whatever the id is of, otherwise INT32,
   *     FP32 or BOOL
   * @param falseValue what stands for false; unused for CORRID
   * @param trueValue what stands for true; unused for CORRID
   */
  public record Control(
      String inputName, Kind kind, DataType dataType, double falseValue, double trueValue) {
    /** What a control tells. */
    public enum Kind {
      CONTROL_SEQUENCE_START,
      CONTROL_SEQUENCE_READY,
      CONTROL_SEQUENCE_END,
      CONTROL_SEQUENCE_CORRID
    }
  }

  /**
   * Implicit state.
   *
   * @param dims without the batch dimension
   * @param initial what a sequence starts with; empty: zeros, with 1 for dimensions of any size
   * @param sameBuffer {@code use_same_buffer_for_input_output}
   * @param growable {@code use_growable_memory}
   */
  public record State(
      String inputName,
      String outputName,
      DataType dataType,
      Shape dims,
      Optional<InitialState> initial,
      boolean sameBuffer,
      boolean growable) {}

  /**
   * What a state is at the start of a sequence.
   *
   * @param dims without the batch dimension, and without dimensions of any size
   * @param dataFile in the model's folder {@code initial_state}; empty: zeros
   */
  public record InitialState(
      String name, DataType dataType, Shape dims, Optional<String> dataFile) {}
}
