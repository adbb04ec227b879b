package io.nereid.engine.request;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that scheduling policies see; the request extends it. It also carries the
 * links of the queue that it is in, so that queueing allocates nothing: a ticket is in one queue at
 * a time.
 *
 * <p>Times are nanoseconds of the scheduler's clock and never negative.
 */
public abstract class Ticket {
  /** A time that is never reached. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The batch key of a ticket without one: all such tickets may share a batch. */
  public static final Object ANY_BATCH = new Object();

  private final long rows;
  private final long arrivalNanos;
  private final long deadlineNanos;
  private final RequestOptions options;
  private Object batchKey = ANY_BATCH;
  private int weight;
  private String client = "";
  private SequenceId sequenceId;
  private boolean sequenceStart;
  private boolean sequenceEnd;
  private boolean step;
  private boolean announced;

  private long number;

  /** The queue that the ticket is in; null if it is in none. */
  public @Nullable TicketQueue queue;

  @Nullable Ticket previous;
  public @Nullable Ticket next;

  /** When the ticket was added to the queue of the batcher. */
  public long enqueuedNanos;

  /** The ticket's place in a queue that is fair by client: smaller ones precede it. */
  public long startTag;

  /** When a queue policy's timeout expires. */
  public long expiryNanos = NEVER;

  /**
   * The identity of the sequence that the request belongs to, once a policy has assigned it: the
   * same object for all its requests from start to end; null if the scheduler has no sequences.
   */
  public @Nullable Object sequence;

  /** The ticket's index in a {@link DeadlineHeap}; -1 if it is in none. */
  int heapIndex = -1;

  /** How many tickets were added to that heap before. */
  long heapOrder;

  /**
   * @param rows what the request adds to a batch, at least 1
   * @param deadlineNanos the client's deadline; {@link #NEVER} if it has none
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

  /** The client's id of the request: for journals, not for policies. */
  public abstract String id();

  /** The ticket's number in a journal; 0 if it has none. */
  public final long number() {
    return number;
  }

  /** Sets the ticket's number in a journal. */
  public final void number(long newNumber) {
    number = newNumber;
  }

  /** Whose request it is: equal for all requests of a client; empty if that is not known. */
  public final String client() {
    return client;
  }

  /** Sets whose request it is, before a policy sees the ticket. */
  public final void setClient(String newClient) {
    client = newClient;
  }

  /** What the request adds to a batch, at least 1. */
  public final long rows() {
    return rows;
  }

  public final long arrivalNanos() {
    return arrivalNanos;
  }

  /** The client's deadline; {@link #NEVER} if it has none. */
  public final long deadlineNanos() {
    return deadlineNanos;
  }

  /** The batch key: requests with equal keys may share a batch. */
  public final Object batchKey() {
    return batchKey;
  }

  /** Sets the batch key, before a policy sees the ticket. */
  public final void batchKey(Object newKey) {
    batchKey = newKey;
  }

  /** What each row weighs, at least 1; 0 if the model has no limit of what a batch costs. */
  public final int weight() {
    return weight;
  }

  /** Sets what each row weighs, before a policy sees the ticket. */
  public final void setWeight(int newWeight) {
    weight = newWeight;
  }

  /** The priority: 1 is highest, 0 asks for the default. */
  public final long priority() {
    return options.priority();
  }

  /** The client's limit of the time in the queue; 0 sets none. */
  public final long timeoutMicros() {
    return options.timeoutMicros();
  }

  /** The client's correlation id, or the one that the scheduler has assigned. */
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
   * Whether the request is a step of an ensemble. A scheduler that has stopped still accepts it,
   * since the ensemble's request was admitted before.
   */
  public final boolean isStep() {
    return step;
  }

  /** Whether the scheduler was told of the head of the request before, and did not refuse it. */
  public final boolean isAnnounced() {
    return announced;
  }

  /** Notes whether the scheduler was told of the head. */
  public final void setAnnounced(boolean newAnnounced) {
    announced = newAnnounced;
  }

  /** Marks the request as a step of an ensemble. */
  public Ticket asStep() {
    step = true;
    return this;
  }

  /** Makes a request without sequence the first one of a new sequence. */
  public final void startSequence(SequenceId id) {
    sequenceId = id;
    sequenceStart = true;
  }

  /** Makes the request one in the middle of its sequence, for another execution. */
  public final void rescheduled() {
    sequenceStart = false;
    sequenceEnd = false;
  }

  /** The first moment at which the ticket leaves its queue by timeout or deadline. */
  public final long wakeNanos() {
    return Math.min(expiryNanos, deadlineNanos);
  }
}
