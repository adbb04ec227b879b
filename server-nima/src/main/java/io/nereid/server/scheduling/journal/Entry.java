package io.nereid.server.scheduling.journal;

import io.nereid.request.SequenceId;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.Rejection;
import java.util.List;

/**
 * A line of a decision: an event, or a step. Tickets go by their numbers, in order of arrival from
 * 1 on.
 */
public sealed interface Entry {
  /** What a policy was told. */
  sealed interface Event extends Entry {}

  /** What a policy did. */
  sealed interface Action extends Entry {}

  /** What follows happened at that time of the server's clock. */
  record At(long nanos) implements Event {}

  /**
   * A request came.
   *
   * @param id the client's
   * @param rows what it adds to a batch
   * @param deadlineNanos {@link Ticket#NEVER} if the client has not said
   * @param batchClass requests that wait at the same time may share a batch if this is the same
   * @param ensembleStep whether it is a step of an ensemble
   */
  record Arrived(
      long ticket,
      String id,
      long rows,
      long arrivalNanos,
      long deadlineNanos,
      int batchClass,
      long priority,
      long timeoutMicros,
      SequenceId sequenceId,
      boolean sequenceStart,
      boolean sequenceEnd,
      boolean ensembleStep)
      implements Event {}

  /** A request was called off. */
  record Cancelled(long ticket) implements Event {}

  /**
   * A request that is being executed is to run again.
   *
   * @param batchClass as of now
   */
  record Rescheduled(long ticket, int batchClass) implements Event {}

  /** An instance asked for a batch. */
  record Ready(int instance) implements Event {}

  /**
   * An instance has executed its batch.
   *
   * @param endNanos when the model had ended
   */
  record Executed(int instance, long endNanos) implements Event {}

  /**
   * There is another instance.
   *
   * @param priority by which its turn is found; 0 for all: the lowest instance is first
   */
  record InstanceAdded(int instance, long priority) implements Event {}

  /** An instance takes no more batches. */
  record InstanceRemoved(int instance) implements Event {}

  /** The scheduler takes no more requests. */
  record Stopped() implements Event {}

  /**
   * The model's own rule was asked about a request.
   *
   * @param joins whether it may join the batch that is being formed
   */
  record RuleAnswer(boolean joins) implements Event {}

  /** An instance was called. */
  record Called(int instance) implements Action {}

  /** An instance got nothing. */
  record Rested(int instance) implements Action {}

  /**
   * A batch went to an instance.
   *
   * @param tickets by row; 0 is a padding row
   */
  record Dispatched(int instance, DispatchReason reason, List<Long> tickets) implements Action {
    public Dispatched {
      tickets = List.copyOf(tickets);
    }
  }

  /** A request was rejected. */
  record Rejected(long ticket, Rejection rejection) implements Action {}

  /**
   * A sequence is over.
   *
   * @param firstTicket of its requests
   */
  record Ended(long firstTicket) implements Action {}

  /**
   * The policy failed: a bug.
   *
   * @param exception the name of its class
   */
  record Failed(String exception) implements Action {}
}
