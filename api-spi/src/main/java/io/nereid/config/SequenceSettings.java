package io.nereid.config;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * {@code sequence_batching}: requests with the same correlation id go to the same instance, in
 * order.
 *
 * @param maxSequenceIdleMicros a sequence without a request for this long loses its slot
 * @param controls inputs that the server adds to tell the model the position in a sequence
 * @param states tensors that the server keeps from one request of a sequence to the next
 * @param iterative whether the model may reschedule a request until its sequence ends
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

  /** {@code strategy_choice}: how sequences are assigned to batches. */
  public sealed interface Strategy {
    /**
     * Each sequence keeps one slot, a row of the batch, until it ends.
     *
     * @param minimumSlotUtilization fraction of the slots, 0 to 1, that must have a request for a
     *     batch to be dispatched before {@code maxQueueDelayMicros} have passed
     */
    record Direct(long maxQueueDelayMicros, double minimumSlotUtilization) implements Strategy {}

    /**
     * Requests of different sequences are batched dynamically, the oldest first, at most one of
     * each sequence.
     *
     * @param maxCandidateSequences number of sequences that an instance serves at a time; 0 for the
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
   * An input of one element per row, of shape {@code [1]}, that the server adds to each request.
   *
   * @param dataType INT32, FP32 or BOOL; for {@link Kind#CONTROL_SEQUENCE_CORRID} the type of the
   *     correlation id
   * @param falseValue the element that means false; unused for CORRID
   * @param trueValue the element that means true; unused for CORRID
   */
  public record Control(
      String inputName, Kind kind, DataType dataType, double falseValue, double trueValue) {
    /** What a control input contains. */
    public enum Kind {
      /** Whether the request is the first of its sequence. */
      CONTROL_SEQUENCE_START,
      /** Whether the row belongs to a request; false for padding. */
      CONTROL_SEQUENCE_READY,
      /** Whether the request is the last of its sequence. */
      CONTROL_SEQUENCE_END,
      /** The correlation id. */
      CONTROL_SEQUENCE_CORRID
    }
  }

  /**
   * A state of a sequence: an output of one request that is an input of the next.
   *
   * @param dims without the batch dimension
   * @param initial the value at the start of a sequence; if empty, zeros, with every wildcard
   *     dimension 1
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
   * The value of a state at the start of a sequence.
   *
   * @param dims concrete, without the batch dimension
   * @param dataFile a file in the model's directory {@code initial_state}; empty for zeros
   */
  public record InitialState(
      String name, DataType dataType, Shape dims, Optional<String> dataFile) {}
}
