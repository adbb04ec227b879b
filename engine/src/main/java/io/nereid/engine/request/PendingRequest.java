package io.nereid.engine.request;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.jfr.QueuedEvent;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.request.InferenceRequest;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An admitted request with the memory of its inputs and the promise of its outcome. Owned: the
 * stage that ends it closes it, a scheduler that rejects it or the runner that has executed it, and
 * only then is the memory of its inputs released. So a cancellation frees no memory that an
 * instance still reads.
 *
 * <p>It is its own ticket, and has the fields that schedulers and instances need: to submit, queue
 * and run a request allocates nothing.
 */
public final class PendingRequest extends Ticket implements ResponsePromise.Hook, AutoCloseable {
  /** The present owner of a request: the scheduler whose queue it is in, or its batch. */
  @FunctionalInterface
  public interface Holder {
    /**
     * A request was cancelled. Called by any thread, maybe twice, and maybe after the request has
     * passed to another holder.
     */
    void cancelled(PendingRequest request);
  }

  private final InferenceRequest request;
  private List<Lease> leases;
  private final Runnable onClose;
  private final ResponsePromise promise;
  private volatile @Nullable Holder holder;
  private boolean responded;
  private boolean closed;

  /** The request that this one is a part of; null if it is a client's. */
  private @Nullable PendingRequest caller;

  private boolean isCall;

  /** What is recorded of the request; null if it is not traced. */
  private @Nullable RequestTrace trace;

  /** A response that needs no execution. */
  private @Nullable InferenceResponse cached;

  /** The event of the time in the queue; null if it is not recorded, or was already. */
  private @Nullable QueuedEvent queued;

  /**
   * @param rows what the request adds to a batch, at least 1
   * @param leases the memory of the request's inputs; taken
   * @param onClose run when the request has ended
   * @param arrivalNanos when the request arrived, on the server's clock
   * @param deadlineNanos the client's deadline on the same clock; {@link #NEVER} if it has none
   */
  public PendingRequest(
      InferenceRequest request,
      long rows,
      List<Lease> leases,
      Runnable onClose,
      ResponsePromise promise,
      long arrivalNanos,
      long deadlineNanos) {
    super(rows, arrivalNanos, deadlineNanos, request.options());
    this.request = request;
    this.leases = leases;
    this.onClose = onClose;
    this.promise = promise;
  }

  public InferenceRequest request() {
    return request;
  }

  @Override
  public String id() {
    return request.id();
  }

  public ResponsePromise promise() {
    return promise;
  }

  /** Sets what is recorded of the request; before it is admitted. */
  public void setTrace(@Nullable RequestTrace newTrace) {
    trace = newTrace;
  }

  /** What is recorded of the request; null if it is not traced. */
  public @Nullable RequestTrace trace() {
    return trace;
  }

  /** Notes that a response leaves; true for the first one. Called by the holder's thread. */
  public boolean firstResponse() {
    boolean first = !responded;
    responded = true;
    return first;
  }

  /**
   * Counts memory that a backend takes for the inputs beside their own, until the request ends.
   * Inputs that are not counted themselves, since they are small or a client's, count nothing.
   *
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED if there is none left now
   */
  public void countMore(long byteSize) {
    for (Lease lease : leases) {
      if (lease.countMore(byteSize)) {
        return;
      }
    }
  }

  /** Sets the response, so that the request needs no execution. Takes it. */
  public void setCachedResponse(InferenceResponse response) {
    cached = response;
  }

  /** Ends the request with the response of {@link #setCachedResponse}. */
  public void answerCached() {
    InferenceResponse response = Objects.requireNonNull(cached);
    cached = null;
    try {
      close();
    } finally {
      promise.answer(response);
    }
  }

  @Override
  public PendingRequest asStep() {
    super.asStep();
    return this;
  }

  /**
   * A request that this one makes of another model, as a part of it: for its client, in its trace
   * and with its deadline. This request does not end before.
   *
   * @param made of the other model
   * @param onClose run when that request has ended: its inputs, which this request's side owns, are
   *     not read any more
   */
  public PendingRequest child(
      InferenceRequest made,
      long rows,
      Runnable onClose,
      ResponsePromise outcome,
      long arrivalNanos,
      long deadlineNanos) {
    var child =
        new PendingRequest(made, rows, List.of(), onClose, outcome, arrivalNanos, deadlineNanos)
            .asStep();
    child.caller = this;
    child.setClient(client());
    RequestTrace parent = trace;
    if (parent != null) {
      child.setTrace(parent.child());
    }
    return child;
  }

  /** States that the code of a model has made the request; before it is admitted. */
  public PendingRequest asCall() {
    isCall = true;
    return this;
  }

  /** Whether the code of a model has made it, whose mistake it is if it is not valid. */
  public boolean isCall() {
    return isCall;
  }

  /** The request that this one is a part of, and ends before; null if it is a client's. */
  public @Nullable PendingRequest caller() {
    return caller;
  }

  /**
   * Sets the holder, which is told if the request is cancelled, or was already. Called by the
   * present holder.
   */
  public void heldBy(Holder newHolder) {
    boolean first = holder == null;
    holder = newHolder;
    if (first) {
      promise.onCancel(this);
    } else if (promise.isDecided()) { // a cancellation may have told the former holder
      newHolder.cancelled(this);
    }
  }

  /** Tells the holder of a cancellation; called by the promise. */
  @Override
  public void cancelled() {
    Holder told = holder;
    if (told != null) {
      told.cancelled(this);
    }
  }

  /** The request enters a queue; the time in it is recorded if the JFR event is enabled. */
  public void queued() {
    queued = FlightEvents.queued();
  }

  /**
   * The request leaves the queue. Has no effect when a rescheduled request leaves it again.
   *
   * @param outcome {@code DISPATCHED}, or the rejection
   * @param clock the clock of the arrival, in nanoseconds
   */
  public void left(String outcome, LongSupplier clock) {
    if (queued != null) {
      long nanos = clock.getAsLong() - arrivalNanos();
      queued.record(request.model(), request.id(), nanos, outcome);
      queued = null;
    }
  }

  /**
   * The inputs' memory, which the caller owns from now on: {@link #close} does not release it. For
   * a caller that reads the inputs for a shorter or a longer time than the request takes.
   */
  public List<Lease> takeLeases() {
    List<Lease> taken = leases;
    leases = List.of();
    return taken;
  }

  /**
   * Releases the inputs' memory, and a cached response that was not sent; all of it, also if a part
   * fails. Has no effect a second time.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (cached != null) {
        cached.close();
      }
      Lease.closeAll(leases);
    } finally {
      try {
        if (trace != null) {
          trace.end();
        }
      } finally {
        onClose.run();
      }
    }
  }
}
