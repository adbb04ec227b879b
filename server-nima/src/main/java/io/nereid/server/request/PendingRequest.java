package io.nereid.server.request;

import io.nereid.request.InferenceRequest;
import io.nereid.server.memory.Lease;
import io.nereid.server.telemetry.jfr.QueuedEvent;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request under way, with the memory of its inputs and the promise of its answer. Owned: the
 * stage that ends it closes it, a scheduler that refuses it or the runner that has run it, and only
 * then does the memory of its inputs go back. Who gives up waiting frees nothing that an instance
 * still reads.
 *
 * <p>It is its own ticket, and carries all that schedulers and instances note down about it: to
 * submit, queue and run a request allocates nothing.
 */
public final class PendingRequest extends Ticket implements Runnable, AutoCloseable {
  /** Who has a request that is under way: the scheduler it waits in, the batch it is part of. */
  @FunctionalInterface
  public interface Holder {
    /**
     * A request was called off; by any thread. It may be one that somebody else has by now, and may
     * be told twice.
     */
    void cancelled(PendingRequest request);
  }

  private final InferenceRequest request;
  private List<Lease> leases;
  private final Runnable onClose;
  private final ResponsePromise promise;
  private volatile @Nullable Holder holder;
  private boolean responded;

  /** Of the time in a queue; not there if nobody records it, or once it has been. */
  private @Nullable QueuedEvent queued;

  /**
   * @param rows what the request adds to a batch, at least 1
   * @param leases the memory of the request's inputs; taken
   * @param onClose run when the request has ended
   * @param arrivalNanos when the request came, on the server's clock
   * @param deadlineNanos when nobody waits for an answer any more, on the same clock; {@link
   *     #NEVER} if the client has not said
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

  /** Says that a response leaves; true for the first one. By the thread that has the request. */
  public boolean firstResponse() {
    boolean first = !responded;
    responded = true;
    return first;
  }

  @Override
  public PendingRequest asStep() {
    super.asStep();
    return this;
  }

  /**
   * Says who has the request from now on, to be told if it is called off, or was already. By who
   * has it.
   */
  public void heldBy(Holder newHolder) {
    boolean first = holder == null;
    holder = newHolder;
    if (first) {
      promise.onCancel(this);
    } else if (promise.isDecided()) { // who decided it may have seen the former holder
      newHolder.cancelled(this);
    }
  }

  /** The request was called off; by its promise. */
  @Override
  public void run() {
    Holder told = holder;
    if (told != null) {
      told.cancelled(this);
    }
  }

  /** The request waits from now on: its time in the queue is recorded if somebody asks for it. */
  public void queued() {
    queued = QueuedEvent.beginIfOn();
  }

  /**
   * The request has left the queue, for the first time if it is run again and again.
   *
   * @param outcome {@code DISPATCHED}, or why it was refused
   * @param clock by which it arrived, in nanoseconds
   */
  public void left(String outcome, LongSupplier clock) {
    if (queued != null) {
      long nanos = clock.getAsLong() - arrivalNanos();
      queued.record(request.model(), request.id(), nanos, outcome);
      queued = null;
    }
  }

  /**
   * The inputs' memory, which becomes the caller's: {@link #close} leaves it alone. For who reads
   * the inputs for a shorter time than the request takes, or for a longer one.
   */
  public List<Lease> takeLeases() {
    List<Lease> taken = leases;
    leases = List.of();
    return taken;
  }

  /** Gives the inputs' memory back. Once. */
  @Override
  public void close() {
    for (Lease lease : leases) {
      lease.close();
    }
    onClose.run();
  }
}
