package io.nereid.exchange;

import io.nereid.memory.Lease;
import io.nereid.request.InferenceRequest;
import java.util.List;

/**
 * A request under way, with the memory of its inputs and the promise of its answer. Owned: the
 * stage that ends it closes it, a scheduler that refuses it or the runner that has run it, and only
 * then does the memory of its inputs go back. Who gives up waiting frees nothing that an instance
 * still reads.
 */
public final class PendingRequest implements AutoCloseable {
  private final InferenceRequest request;
  private final long rows;
  private List<Lease> leases;
  private final Runnable onClose;
  private final ResponsePromise promise;
  private final long arrivalNanos;
  private final long deadlineNanos;
  private boolean step;

  /**
   * @param rows what the request adds to a batch, at least 1
   * @param leases the memory of the request's inputs; taken
   * @param onClose run when the request has ended
   * @param arrivalNanos when the request came, on the server's clock
   * @param deadlineNanos when nobody waits for an answer any more, on the same clock; {@link
   *     Long#MAX_VALUE} if the client has not said
   */
  public PendingRequest(
      InferenceRequest request,
      long rows,
      List<Lease> leases,
      Runnable onClose,
      ResponsePromise promise,
      long arrivalNanos,
      long deadlineNanos) {
    this.request = request;
    this.rows = rows;
    this.leases = leases;
    this.onClose = onClose;
    this.promise = promise;
    this.arrivalNanos = arrivalNanos;
    this.deadlineNanos = deadlineNanos;
  }

  public InferenceRequest request() {
    return request;
  }

  public long rows() {
    return rows;
  }

  public ResponsePromise promise() {
    return promise;
  }

  public long arrivalNanos() {
    return arrivalNanos;
  }

  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Whether it is a step of another request, an ensemble's, and not a client's own. */
  public boolean isStep() {
    return step;
  }

  /** Makes it a step; before it is submitted. */
  public PendingRequest asStep() {
    step = true;
    return this;
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
