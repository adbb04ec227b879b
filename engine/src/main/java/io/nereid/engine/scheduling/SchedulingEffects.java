package io.nereid.engine.scheduling;

import io.nereid.engine.execution.Instance;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponseOrder;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.scheduling.policy.BatchCost;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.telemetry.jfr.BatchFormedEvent;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.RefusalReason;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Carries out a policy's actions: passes batches to instances and fails rejected requests. */
final class SchedulingEffects implements SchedulingActions, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SchedulingEffects.class.getName());

  static final int NONE = -1;

  /** To whom an instance may be lent. */
  enum Borrower {
    /** No thread. */
    NONE,

    /** A thread for which no others wait. */
    OWN_THREAD,

    /** A thread for which others wait. */
    SHARED_THREAD
  }

  private final InstanceGroup instances;
  private final LongSupplier clock;
  private final SequenceStates states;
  private final RestartWarnings restarts;

  /** Of the batch that is dispatched; null if the cost of a batch has no limit. */
  private final @Nullable BatchCost cost;

  private Borrower borrower = Borrower.NONE;
  private int lent = NONE;

  SchedulingEffects(InstanceGroup instances, Clock clock) {
    this.instances = instances;
    this.clock = clock::nanos;
    this.states = new SequenceStates(instances.model());
    this.restarts = new RestartWarnings(clock);
    this.cost = instances.model().config().batchCost().map(BatchCost::new).orElse(null);
  }

  /** Sets as whom the calling thread borrows the next instance that is woken, if it can be. */
  void lend(Borrower newBorrower) {
    borrower = newBorrower;
    lent = NONE;
  }

  /** The instance that was lent since {@link #lend}; {@link #NONE} if none was. */
  int lent() {
    return lent;
  }

  @Override
  public void wake(int instance) {
    if (borrower != Borrower.NONE
        && lent == NONE
        && instances.instance(instance).wakeLent(borrower == Borrower.SHARED_THREAD)) {
      lent = instance;
    } else {
      instances.instance(instance).wake();
    }
  }

  @Override
  public void idle(int instance) {
    instances.instance(instance).idle();
  }

  @Override
  public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    if (FlightEvents.recordsBatches()) {
      record(instance, batch, size, reason);
    }
    if (cost != null) {
      count(cost, batch, size);
    }
    Instance dispatched = instances.instance(instance);
    for (int i = 0; i < size; i++) {
      add(dispatched.batch(), batch[i]);
    }
    dispatched.dispatch();
  }

  private void add(DispatchedBatch batch, @Nullable Ticket ticket) {
    if (ticket == null) {
      batch.pad();
      return;
    }
    var request = (PendingRequest) ticket;
    request.left("DISPATCHED", clock);
    Object sequence = ticket.sequence;
    if (sequence == null) {
      batch.add(request);
    } else {
      batch.add(request, states.of(sequence));
    }
  }

  private void count(BatchCost batchCost, @Nullable Ticket[] batch, int size) {
    batchCost.clear();
    for (int i = 0; i < size; i++) {
      batchCost.add(Objects.requireNonNull(batch[i]));
    }
    instances.statistics().dispatched(batchCost.cost(), batchCost.padding());
  }

  private void record(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
    ModelKey model = null;
    int requests = 0;
    long rows = 0;
    long oldest = Ticket.NEVER;
    for (int i = 0; i < size; i++) {
      Ticket ticket = batch[i];
      if (ticket != null) {
        model = ((PendingRequest) ticket).request().model();
        requests++;
        rows += ticket.rows();
        oldest = Math.min(oldest, ticket.arrivalNanos());
      }
    }
    if (model != null) {
      String name = instances.instance(instance).settings().name();
      long age = clock.getAsLong() - oldest;
      BatchFormedEvent.record(model, name, requests, rows, reason.name(), age);
    }
  }

  @Override
  public void ended(Object sequence) {
    states.end(sequence);
  }

  @Override
  public void restarted(Ticket ticket) {
    restarts.add((PendingRequest) ticket);
  }

  /** Frees the states of all sequences. */
  @Override
  public void close() {
    states.close();
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    var request = (PendingRequest) ticket;
    request.left(rejection.name(), clock);
    if (rejection.afterAdmission()) {
      instances
          .statistics()
          .failed(reason(request, rejection), clock.getAsLong() - request.arrivalNanos());
    } else if (rejection == Rejection.QUEUE_FULL) {
      instances.statistics().refused(RefusalReason.QUEUE_FULL);
    } else if (rejection == Rejection.QUEUE_SHARE) {
      instances.statistics().refused(RefusalReason.QUEUE_SHARE);
    } else if (rejection == Rejection.SEQUENCE_SHARE) {
      instances.statistics().refused(RefusalReason.SEQUENCE_SHARE);
    }
    ResponseOrder.leave(request.promise()); // its failure precedes other responses
    request.close();
    if (rejection.afterAdmission()) {
      request.promise().fail(failure(request, rejection));
    } else {
      request.promise().reject(failure(request, rejection));
    }
  }

  /** Fails a request that could not be queued, unless it has ended. */
  void fail(PendingRequest request, Throwable bug) {
    ResponseOrder.leave(request.promise());
    try {
      request.close();
    } finally {
      request.promise().reject(UnexpectedFailures.of(LOG, "the arrival of a request", bug));
    }
  }

  @Override
  public void refuse(Ticket ticket, PredictedWait wait) {
    var request = (PendingRequest) ticket;
    request.left("REFUSED", clock);
    instances.statistics().refused(RefusalReason.PREDICTED_WAIT);
    ResponseOrder.leave(request.promise());
    request.close();
    request.promise().reject(Overload.refused(request, wait));
  }

  /**
   * The statistics reason of an admitted request; a decided promise means that it was cancelled.
   */
  private static FailureReason reason(PendingRequest request, Rejection rejection) {
    if (rejection == Rejection.CANCELLED || request.promise().isDecided()) {
      return FailureReason.CANCELED;
    }
    return rejection == Rejection.SEQUENCE_OVER ? FailureReason.OTHER : FailureReason.REJECTED;
  }

  private InferenceException failure(PendingRequest request, Rejection rejection) {
    String prefix = RequestErrors.prefix(request.request().id());
    String model = request.request().model().name();
    return switch (rejection) {
      case STOPPING -> Scheduler.stopping(prefix);
      case SEQUENCE_STOPPING -> Scheduler.stopping("");
      case QUEUE_FULL -> InferenceException.unavailable(prefix + "Exceeds maximum queue size");
      case QUEUE_SHARE ->
          InferenceException.exhausted(
              ("%sas many requests of this client wait for model '%s' as may wait of one client"
                      + " (--max-client-requests)")
                  .formatted(prefix, model));
      case SEQUENCE_SHARE ->
          InferenceException.exhausted(
              ("%smodel '%s' begins no sequence for this client, which has as many as it may have"
                      + " (--max-client-sequences); end others first")
                  .formatted(prefix, model));
      case TIMED_OUT -> InferenceException.unavailable("Request timeout expired");
      case WAITED_TOO_LONG -> Overload.waitedTooLong(request, clock.getAsLong());
      case CANCELLED -> InferenceException.cancelled();
      case SEQUENCE_BATCH_SIZE ->
          InferenceException.invalid(
              ("inference request to model '%s' must specify batch-size 1 due to requirements of"
                      + " sequence batcher")
                  .formatted(model));
      case SEQUENCE_ID_MISSING ->
          InferenceException.invalid(
              "inference request to model '%s' must specify a non-zero or non-empty correlation ID"
                  .formatted(model));
      case SEQUENCE_START_MISSING, SEQUENCE_OVER ->
          InferenceException.invalid(
              ("inference request for sequence %s to model '%s' must specify the START flag on the"
                      + " first request of the sequence")
                  .formatted(request.sequenceId(), model));
      case SEQUENCE_TIMED_OUT ->
          InferenceException.unavailable("timeout of the corresponding sequence has been expired");
    };
  }
}
