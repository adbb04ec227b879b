package io.nereid.engine.scheduling.journal;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.request.SequenceId;
import java.util.List;

/**
 * An event or an action of a decision. Each corresponds to a method of {@link SchedulingPolicy} or
 * {@link SchedulingActions}. Tickets are numbered from 1 in order of arrival.
 */
public sealed interface Entry {
  /** An input of the policy. */
  sealed interface Event extends Entry {}

  /** An output of the policy. */
  sealed interface Action extends Entry {}

  /** The time of the entries that follow. */
  record At(long nanos) implements Event {}

  /**
   * A request arrived.
   *
   * @param id the client's id
   * @param weight what each row weighs; 0 if the cost of a batch has no limit
   * @param deadlineNanos {@link Ticket#NEVER} if there is none
   * @param batchClass equal for waiting requests with equal batch keys
   * @param announced whether its head came before
   * @param client whose request it is, for schedulers of sequences; empty if that is not known
   */
  record Arrived(
      long ticket,
      String id,
      long rows,
      int weight,
      long arrivalNanos,
      long deadlineNanos,
      int batchClass,
      long priority,
      long timeoutMicros,
      SequenceId sequenceId,
      boolean sequenceStart,
      boolean sequenceEnd,
      boolean ensembleStep,
      boolean announced,
      String client)
      implements Event {}

  /**
   * The head of a request has come. If it is not refused, the request gets another number when it
   * arrives.
   *
   * @param head as of a request that arrives
   */
  record Announced(Arrived head) implements Event {}

  /** A request was cancelled. */
  record Cancelled(long ticket) implements Event {}

  /**
   * A request is to be executed again.
   *
   * @param batchClass of the next execution
   */
  record Rescheduled(long ticket, int batchClass) implements Event {}

  /** An instance is ready for a batch. */
  record Ready(int instance) implements Event {}

  /** The batch that an instance executes was cancelled or has failed before its end. */
  record CutShort(int instance) implements Event {}

  /**
   * An instance has executed its batch.
   *
   * @param endNanos when the model had ended
   */
  record Executed(int instance, long endNanos) implements Event {}

  /** An instance was added. */
  record InstanceAdded(int instance, long priority) implements Event {}

  /** An instance is to be removed. */
  record InstanceRemoved(int instance) implements Event {}

  /** The scheduler was stopped. */
  record Stopped() implements Event {}

  /**
   * The model's batching rule was asked.
   *
   * @param joins whether the request may join the batch
   */
  record RuleResult(boolean joins) implements Event {}

  /** An instance was woken. */
  record Woken(int instance) implements Action {}

  /** An instance that was ready became idle. */
  record Idled(int instance) implements Action {}

  /**
   * A batch was dispatched.
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

  /** A request was refused when it arrived, because it would have waited for too long. */
  record Refused(long ticket, PredictedWait prediction) implements Action {}

  /**
   * A sequence ended.
   *
   * @param firstTicket the first of its requests; 0 if that is unknown
   */
  record Ended(long firstTicket) implements Action {}

  /**
   * The policy failed.
   *
   * @param exception the name of its class
   */
  record Failed(String exception) implements Action {}
}
