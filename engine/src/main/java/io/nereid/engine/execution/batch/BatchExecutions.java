package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.telemetry.jfr.ExecutionEvent;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The executions of one instance, one after the other; a pipelined instance has several of these
 * objects, one for each batch in flight. The objects that an execution needs are created once, so
 * that an execution allocates nothing but its responses: their {@code begin} prepares them for an
 * execution, and {@code end} drops its requests. Used by the instance's thread.
 */
public final class BatchExecutions implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(BatchExecutions.class.getName());

  /** A line of the log names the ids of so many requests of a batch. */
  private static final int MAX_LOGGED_IDS = 16;

  private final ThreadGuard guard;

  /** What requests fail with when there is no memory to say more. */
  private final InferenceException unexpected;

  private final String model;
  private final ExecutingInstance executing;
  private final DispatchedBatch dispatched;
  private final ExecutionMeter meter;
  private final GatherBuffers gatherBuffers;
  private final @Nullable SequenceTensors sequences;
  private final RequestBatch batch;
  private final BatchResults results;

  /** Whether the last batch was not executed to its end. */
  private boolean cutShort;

  /** The event of the batch in flight; null if there is none, or it is not recorded. */
  private @Nullable ExecutionEvent inFlight;

  /**
   * Creates the objects; memory is leased when an execution first needs it.
   *
   * @param dispatched the instance's batch
   */
  public BatchExecutions(
      ExecutedModel model,
      ExecutingInstance executing,
      DispatchedBatch dispatched,
      ExecutionMeter meter) {
    ModelConfig config = model.config();
    this.guard = new ThreadGuard("instance " + executing.name());
    this.model = config.name();
    this.unexpected = InferenceException.internal("'%s' failed unexpectedly".formatted(this.model));
    this.executing = executing;
    this.dispatched = dispatched;
    this.meter = meter;
    this.gatherBuffers = new GatherBuffers(model.inputPool());
    this.sequences =
        config
            .sequence()
            .map(sequence -> new SequenceTensors(config, sequence, dispatched, model.pool()))
            .orElse(null);
    this.batch =
        new RequestBatch(model, dispatched, gatherBuffers, sequences, executing.holdsResources());
    this.results = new BatchResults(model, batch, meter, sequences, executing.detached());
  }

  /** The batch to fill before {@link #run} or {@link #start}. */
  public DispatchedBatch dispatched() {
    return dispatched;
  }

  /** The end of the model's computation, after {@link #run}, {@link #finish} or a failed start. */
  public long computeEnd() {
    return meter.computeEnd();
  }

  /** Whether the batch that has ended last was cancelled or has failed before its end. */
  public boolean isCutShort() {
    return cutShort;
  }

  /** Executes the filled {@link DispatchedBatch} and clears it; does not throw. */
  public void run(ModelInstance instance) {
    if (!hasBegun()) {
      return;
    }
    try {
      if (!isFailedAtOnce()) {
        if (sequences != null) {
          sequences.fillPadding();
        }
        execute(instance);
      }
    } catch (Throwable thrown) { // an instance survives any failure of a batch
      fail(instance, thrown);
    } finally {
      end();
    }
  }

  /**
   * Starts the filled {@link DispatchedBatch}; does not throw.
   *
   * @return whether it is in flight; otherwise its requests have failed, and it is cleared
   */
  public boolean start(PipelinedInstance instance) {
    if (!hasBegun()) {
      return false;
    }
    try {
      if (!isFailedAtOnce()) {
        inFlight = FlightEvents.execution();
        instance.start(batch, results);
        return true;
      }
    } catch (Throwable thrown) { // an instance survives any failure of a batch
      fail(instance, thrown);
      record(inFlight, true);
    }
    end();
    return false;
  }

  /** Finishes the batch in flight and clears the {@link DispatchedBatch}; does not throw. */
  public void finish(PipelinedInstance instance) {
    try {
      instance.finish();
      record(inFlight, false);
    } catch (Throwable thrown) { // an instance survives any failure of a batch
      fail(instance, thrown);
      record(inFlight, true);
    } finally {
      end();
    }
  }

  /** Fails a batch that need not, or cannot, be executed; returns whether it has. */
  private boolean isFailedAtOnce() {
    InferenceException failure =
        batch.isOver(meter.start()) ? InferenceException.cancelled() : executing.failure().get();
    if (failure != null) {
      cutShort = true;
      results.failAll(failure);
    }
    return failure != null;
  }

  private void fail(ModelInstance instance, Throwable thrown) {
    cutShort = true;
    InferenceException failure = failure(thrown);
    results.failAll(failure);
    executing.onBatchFailed().accept(instance, failure);
  }

  private InferenceException failure(Throwable thrown) {
    try {
      return asInferenceException(requestIds(), model, thrown);
    } catch (Throwable noMemory) {
      guard.failed(noMemory);
      return unexpected;
    }
  }

  /** What a line of the log about the batch begins with. */
  private String requestIds() {
    String ids =
        dispatched.requests().stream()
            .limit(MAX_LOGGED_IDS)
            .map(request -> RequestErrors.prefix(request.request().id()))
            .collect(Collectors.joining());
    int others = dispatched.size() - MAX_LOGGED_IDS;
    return others <= 0 ? ids : ids + "and " + others + " more: ";
  }

  /** Begins the execution; returns false if that has failed, and with it all requests. */
  private boolean hasBegun() {
    cutShort = false;
    try {
      meter.begin(dispatched.size());
      batch.begin();
      results.begin();
      return true;
    } catch (Throwable thrown) { // also an Error: the requests must be responded to
      cutShort = true;
      endUnbegun(failure(thrown));
      return false;
    }
  }

  private void endUnbegun(InferenceException failure) {
    batch.end();
    guard.run(executing.onReturn());
    for (int i = 0; i < dispatched.requests().size(); i++) {
      if (!dispatched.isPadding(i)) {
        PendingRequest request = dispatched.requests().get(i);
        guard.run(request::close);
        guard.run(() -> request.promise().fail(failure));
      }
    }
    results.end();
    dispatched.clear();
  }

  private void end() {
    inFlight = null;
    long rows = batch.rows();
    boolean hasReturned = false;
    try {
      batch.end();
      gatherBuffers.release(); // before clients hear of the end
      meter.executed();
      hasReturned = true;
      executing.onReturn().run();
      results.deliver();
      meter.delivered();
      results.count(rows);
      reschedule();
    } catch (Throwable thrown) { // also an Error: the requests must be responded to
      endUnexpectedly(thrown, hasReturned);
    } finally {
      results.end();
      dispatched.clear();
    }
  }

  private void endUnexpectedly(Throwable thrown, boolean hasReturned) {
    cutShort = true;
    InferenceException failure = failure(thrown);
    if (!hasReturned) {
      guard.run(gatherBuffers::release);
      guard.run(executing.onReturn());
    }
    if (!results.isDelivered()) {
      guard.run(() -> results.failAll(failure));
      guard.run(results::endAll);
      guard.run(meter::delivered);
    }
  }

  private void execute(ModelInstance instance) {
    ExecutionEvent event = FlightEvents.execution();
    boolean failed = true;
    try {
      instance.execute(batch, results);
      failed = false;
    } finally {
      record(event, failed);
    }
  }

  private void record(@Nullable ExecutionEvent event, boolean failed) {
    if (event != null) {
      ModelKey key = dispatched.requests().getFirst().request().model();
      event.record(key, executing.name(), dispatched.size(), batch.rows(), failed);
    }
  }

  private void reschedule() {
    for (int i = 0; i < dispatched.requests().size(); i++) {
      if (!dispatched.isPadding(i) && results.isRescheduled(i)) {
        executing.onReschedule().accept(dispatched.requests().get(i));
      }
    }
  }

  /**
   * Returns an {@link InferenceException}, or that of a future, as it is; logs any other failure
   * and wraps it.
   *
   * @param requests the requests that it has failed, for the log; empty if there are none
   * @param name the model or instance that failed
   */
  public static InferenceException asInferenceException(
      String requests, String name, @Nullable Throwable thrown) {
    return InferenceException.of(thrown)
        .orElseGet(() -> {
          LOG.log(
              System.Logger.Level.ERROR, requests + "'" + name + "' failed unexpectedly", thrown);
          return new InferenceException(
              StatusCode.INTERNAL, "'%s' failed unexpectedly: %s".formatted(name, thrown), thrown);
        });
  }

  /** Frees the memory; called after the last execution. */
  @Override
  public void close() {
    if (sequences != null) {
      sequences.close();
    }
  }
}
