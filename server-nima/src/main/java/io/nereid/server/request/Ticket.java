package io.nereid.server.request;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * What a decision may know of a request, which extends it. It also carries the links by which a
 * policy queues it, so that queueing allocates nothing: a ticket is in one queue at a time.
 *
 * <p>Times are nanoseconds of the scheduler's clock, which never are negative.
 */
public abstract class Ticket {
  /** A time that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  /** What a batch key is until it is set: any two with it may share a batch. */
  public static final Object ANY_BATCH = new Object();

  private final long rows;
  private final long arrivalNanos;
  private final long deadlineNanos;
  private final RequestOptions options;
  private Object batchKey = ANY_BATCH;
  private SequenceId sequenceId;
  private boolean sequenceStart;
  private boolean sequenceEnd;
  private boolean step;

  private long number;

  /** Where the ticket waits; null if it does not. */
  public @Nullable TicketQueue queue;

  @Nullable Ticket previous;
  public @Nullable Ticket next;

  /** When the ticket joined the queue in which requests wait for company. */
  public long enqueuedNanos;

  /** When a queue policy's timeout is over. */
  public long expiryNanos = NEVER;

  /** The sequence that the request belongs to, once a policy has found it. */
  public @Nullable Object sequence;

  /** The ticket's place in a {@link DeadlineHeap}; -1 if it is in none. */
  int heapIndex = -1;

  /** How many tickets that heap had been given before. */
  long heapOrder;

  /**
   * Makes a ticket.
   *
   * @param rows what the request adds to a batch, at least 1
   * @param deadlineNanos when nobody waits for the answer any more; {@link #NEVER} if unknown
   */
  protected Ticket(long rows, long arrivalNanos, long deadlineNanos, RequestOptions options) {
    this.rows = rows;
    this.arrivalNanos = arrivalNanos;
    this.deadlineNanos = deadlineNanos;
    this.options = options;
    this.sequenceId = options.sequenceId();
    this.sequenceStart = options.sequenceStart();
    this.sequenceEnd = options.sequenceEnd();
  }

  /** The client's id of the request: for whoever writes decisions down, not for policies. */
  public abstract String id();

  /** What whoever writes decisions down calls the ticket; 0: nobody does. */
  public final long number() {
    return number;
  }

  /** Gives the ticket its number. */
  public final void number(long newNumber) {
    number = newNumber;
  }

  /** What the request adds to a batch, at least 1. */
  public final long rows() {
    return rows;
  }

  public final long arrivalNanos() {
    return arrivalNanos;
  }

  /** When nobody waits for the answer any more; {@link #NEVER} if the client has not said. */
  public final long deadlineNanos() {
    return deadlineNanos;
  }

  /** Requests may share a batch if their keys are equal. */
  public final Object batchKey() {
    return batchKey;
  }

  /** Sets the key; before a policy sees the ticket. */
  public final void batchKey(Object newKey) {
    batchKey = newKey;
  }

  /** 1 is highest; 0 asks for the default. */
  public final long priority() {
    return options.priority();
  }

  /** How long the client would have the request wait; 0 sets no limit. */
  public final long timeoutMicros() {
    return options.timeoutMicros();
  }

  /** The client's, unless it named none and the scheduler has chosen one. */
  public final SequenceId sequenceId() {
    return sequenceId;
  }

  /** Whether the request is the first of its sequence. */
  public final boolean sequenceStart() {
    return sequenceStart;
  }

  /** Whether the request is the last of its sequence. */
  public final boolean sequenceEnd() {
    return sequenceEnd;
  }

  /**
   * What all requests of one run of a sequence have in common: the same object from its start to
   * its end; null if the scheduler knows no sequences.
   */
  public final @Nullable Object sequence() {
    return sequence;
  }

  /**
   * Whether the request is a step of an ensemble's: the latter was taken on, so that the step is
   * nothing new, also once the scheduler has stopped.
   */
  public final boolean isStep() {
    return step;
  }

  /** Makes it the ticket of a step. */
  public Ticket asStep() {
    step = true;
    return this;
  }

  /** Makes a request without sequence the first one of a sequence of its own. */
  public final void startSequence(SequenceId id) {
    sequenceId = id;
    sequenceStart = true;
  }

  /** Makes the request one in the middle of its sequence, to be run again. */
  public final void rescheduled() {
    sequenceStart = false;
    sequenceEnd = false;
  }

  /** The first moment at which time alone takes the ticket out of its queue. */
  public final long wakeNanos() {
    return Math.min(expiryNanos, deadlineNanos);
  }
}
