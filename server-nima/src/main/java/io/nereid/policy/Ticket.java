package io.nereid.policy;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * What a decision may know of a request. It also carries the links by which a policy queues it, so
 * that queueing allocates nothing: a ticket is in one queue at a time.
 *
 * <p>Times are nanoseconds of the scheduler's clock, which never are negative.
 */
public final class Ticket {
  /** A time that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  private final Object request;
  private final long rows;
  private final long arrivalNanos;
  private final long deadlineNanos;
  private final Object batchKey;
  private final RequestOptions options;
  private SequenceId sequenceId;
  private boolean sequenceStart;
  private boolean sequenceEnd;
  private boolean step;

  private long number;

  /** Where the ticket waits; null if it does not. */
  @Nullable TicketQueue queue;

  @Nullable Ticket previous;
  @Nullable Ticket next;

  /** When the ticket joined the queue in which requests wait for company. */
  long enqueuedNanos;

  /** When a queue policy's timeout is over. */
  long expiryNanos = NEVER;

  /** The sequence that the request belongs to, once a policy has found it. */
  @Nullable Object sequence;

  /** The ticket's place in a {@link DeadlineHeap}; -1 if it is in none. */
  int heapIndex = -1;

  /** How many tickets that heap had been given before. */
  long heapOrder;

  /**
   * Makes a ticket.
   *
   * @param request whose ticket it is: for whoever takes the steps, not for policies; its text is
   *     the client's id
   * @param rows what the request adds to a batch, at least 1
   * @param deadlineNanos when nobody waits for the answer any more; {@link #NEVER} if unknown
   * @param batchKey requests may share a batch if their keys are equal
   */
  public Ticket(
      Object request,
      long rows,
      long arrivalNanos,
      long deadlineNanos,
      Object batchKey,
      RequestOptions options) {
    this.request = request;
    this.rows = rows;
    this.arrivalNanos = arrivalNanos;
    this.deadlineNanos = deadlineNanos;
    this.batchKey = batchKey;
    this.options = options;
    this.sequenceId = options.sequenceId();
    this.sequenceStart = options.sequenceStart();
    this.sequenceEnd = options.sequenceEnd();
  }

  public Object request() {
    return request;
  }

  /** What whoever writes decisions down calls the ticket; 0: nobody does. */
  public long number() {
    return number;
  }

  /** Gives the ticket its number. */
  public void number(long newNumber) {
    number = newNumber;
  }

  public long rows() {
    return rows;
  }

  public long arrivalNanos() {
    return arrivalNanos;
  }

  public long deadlineNanos() {
    return deadlineNanos;
  }

  public Object batchKey() {
    return batchKey;
  }

  /** 1 is highest; 0 asks for the default. */
  public long priority() {
    return options.priority();
  }

  /** How long the client would have the request wait; 0 sets no limit. */
  public long timeoutMicros() {
    return options.timeoutMicros();
  }

  /** The client's, unless it named none and the scheduler has chosen one. */
  public SequenceId sequenceId() {
    return sequenceId;
  }

  /** Whether the request is the first of its sequence. */
  public boolean sequenceStart() {
    return sequenceStart;
  }

  /** Whether the request is the last of its sequence. */
  public boolean sequenceEnd() {
    return sequenceEnd;
  }

  /**
   * What all requests of one run of a sequence have in common: the same object from its start to
   * its end; null if the scheduler knows no sequences.
   */
  public @Nullable Object sequence() {
    return sequence;
  }

  /**
   * Whether the request is a step of an ensemble's: the latter was taken on, so that the step is
   * nothing new, also once the scheduler has stopped.
   */
  public boolean isStep() {
    return step;
  }

  /** Makes it the ticket of a step. */
  public Ticket asStep() {
    step = true;
    return this;
  }

  /** Makes a request without sequence the first one of a sequence of its own. */
  void startSequence(SequenceId id) {
    sequenceId = id;
    sequenceStart = true;
  }

  /** Makes the request one in the middle of its sequence, to be run again. */
  void rescheduled() {
    sequenceStart = false;
    sequenceEnd = false;
  }

  /** The first moment at which time alone takes the ticket out of its queue. */
  long wakeNanos() {
    return Math.min(expiryNanos, deadlineNanos);
  }
}
