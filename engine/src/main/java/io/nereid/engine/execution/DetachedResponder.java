package io.nereid.engine.execution;

import io.nereid.config.ModelConfig;
import io.nereid.engine.call.Callback;
import io.nereid.engine.call.RequestCalls;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request that the backend answers after its execution. It ends, and its memory is released, once
 * the backend has ended it, and nothing reads its inputs any more: the execution that it was
 * detached from has returned, its calls have ended. Thread-safe: one call of the backend at a time.
 */
final class DetachedResponder implements DetachedRequest, PendingRequest.Holder {
  private static final System.Logger LOG = System.getLogger(DetachedResponder.class.getName());

  private final ModelConfig config;
  private final PendingRequest request;
  private final RequestBatch batch;
  private final RequestOutputs outputs;

  /** Guarded by this until the backend has ended the request, as the fields below. */
  private final ResponseBuilder builder;

  private final ExecutionMeter meter;
  private final DetachedRequests all;

  /** Those that the backend has asked for; null if it has not; written under the lock. */
  private volatile @Nullable RequestCalls calls;

  /** Whether the execution has returned. */
  private boolean executed;

  /** The request ends with the last of these: its execution, its calls. */
  private final AtomicInteger awaited = new AtomicInteger(2);

  private boolean misuseLogged;

  /** Whether the backend has ended the request; written under the lock. */
  private volatile boolean ended;

  private boolean hasCancelAction;

  /** What is to run on a cancellation; null if nothing is, or it has run. */
  private final AtomicReference<@Nullable Runnable> cancelAction = new AtomicReference<>();

  /**
   * @param batch told of a cancellation too
   * @param builder the request's own
   * @param meter the builder's
   * @param all those of the instance, which this is added to
   */
  DetachedResponder(
      ModelConfig config,
      PendingRequest request,
      RequestBatch batch,
      RequestOutputs outputs,
      ResponseBuilder builder,
      ExecutionMeter meter,
      DetachedRequests all) {
    this.config = config;
    this.request = request;
    this.batch = batch;
    this.outputs = outputs;
    this.builder = builder;
    this.meter = meter;
    this.all = all;
  }

  /** The start of the execution. */
  long start() {
    return meter.start();
  }

  /** Fails behind the end; the first time, a line of the log says so. */
  private void requireOpen() {
    if (!ended) {
      return;
    }
    String misuse =
        "%smodel '%s': backend '%s' used a detached request after its end"
            .formatted(RequestErrors.prefix(request.id()), config.name(), config.backend());
    var failure = new IllegalStateException(misuse);
    if (!misuseLogged) {
      misuseLogged = true;
      LOG.log(System.Logger.Level.ERROR, misuse, failure);
    }
    throw failure;
  }

  @Override
  public synchronized InferenceRequest request() {
    requireOpen();
    return request.request();
  }

  @Override
  public synchronized Optional<Tensor> input(String name) {
    requireOpen();
    return RequestBatch.forModel(config, request.request().input(name));
  }

  @Override
  public synchronized boolean wants(String output) {
    requireOpen();
    return builder.wants(output);
  }

  @Override
  public synchronized MemorySegment allocate(
      String output, DataType dataType, Shape shape, long byteSize) {
    requireOpen();
    return outputs.allocate(builder, /* isPadding= */ false, output, dataType, shape, byteSize);
  }

  @Override
  public synchronized void give(Tensor output, Runnable release) {
    try {
      requireOpen();
    } catch (IllegalStateException misused) {
      release.run();
      throw misused;
    }
    outputs.give(builder, /* isPadding= */ false, output, release);
  }

  @Override
  public synchronized void parameter(String name, Parameter value) {
    requireOpen();
    builder.parameter(Objects.requireNonNull(name), Objects.requireNonNull(value));
  }

  @Override
  public synchronized boolean isTraced() {
    requireOpen();
    return request.trace() != null;
  }

  @Override
  public synchronized void activity(String name, long nanoTime) {
    requireOpen();
    RequestTrace trace = request.trace();
    if (trace != null) {
      trace.activity(name, nanoTime);
    }
  }

  @Override
  public void send() {
    synchronized (this) {
      requireOpen();
      if (config.decoupled()) {
        builder.send();
        return;
      }
      ends();
      if (executed) {
        builder.checkContent(); // the response leaves behind the inputs' release
      } else {
        builder.send();
      }
    }
    endCalls();
  }

  @Override
  public void finish() {
    synchronized (this) {
      requireOpen();
      if (!config.decoupled()) {
        throw BatchResults.notDecoupled(config);
      }
      ends();
      builder.finish();
    }
    endCalls();
  }

  @Override
  public void fail(InferenceException failure) {
    synchronized (this) {
      requireOpen();
      Objects.requireNonNull(failure);
      ends();
      builder.fail(failure);
    }
    endCalls();
  }

  private void ends() {
    ended = true;
    cancelAction.set(null);
    meter.executed();
  }

  @Override
  public synchronized ModelCalls calls() {
    requireOpen();
    RequestCalls known = calls;
    if (known == null) {
      known = batch.callsOfDetached(request);
      calls = known;
      if (request.promise().isDecided()) { // maybe before the calls were known
        known.cancel();
      }
    }
    return known;
  }

  /** The backend has ended the request. Not under the lock: what a cancelled call runs may wait. */
  private void endCalls() {
    RequestCalls made = calls;
    if (made == null) {
      endIfLast();
    } else {
      made.close(this::endIfLast);
    }
  }

  /** The execution has returned, and reads the inputs no more. Does not throw. */
  void executed() {
    synchronized (this) {
      executed = true;
      meter.detachedBegins();
    }
    endIfLast();
  }

  /**
   * Ends the request once nothing reads its inputs any more. No lock is held, since what hears of
   * the end may end other requests. Does not throw: a failure is no concern of the backend, or of
   * the rest of the batch.
   */
  private void endIfLast() {
    if (awaited.decrementAndGet() > 0) {
      return;
    }
    try {
      builder.end();
    } catch (Throwable thrown) { // a bug, or no memory: the request needs an outcome
      LOG.log(
          System.Logger.Level.ERROR,
          RequestErrors.prefix(request.id()) + "a detached request was not ended",
          thrown);
      builder.failEnd(InferenceException.unexpected(thrown));
    } finally {
      meter.delivered();
      builder.count();
      all.remove(this);
    }
  }

  @Override
  public boolean isCancelled() {
    return ended || request.promise().isDecided();
  }

  @Override
  public Optional<Duration> remaining() {
    return RequestBatch.remaining(request, meter.now());
  }

  @Override
  public void onCancel(Runnable action) {
    Objects.requireNonNull(action);
    synchronized (this) {
      requireOpen();
      if (hasCancelAction) {
        throw new IllegalStateException("a detached request takes one action on cancellation");
      }
      hasCancelAction = true;
      cancelAction.set(action);
    }
    if (request.promise().isDecided()) { // maybe before the action was set
      runCancelAction();
    }
  }

  @Override
  public void cancelled(PendingRequest cancelled) {
    RequestCalls made = calls;
    if (made != null) {
      made.cancel();
    }
    runCancelAction();
    batch.cancelled(cancelled);
  }

  private void runCancelAction() {
    Runnable action = cancelAction.getAndSet(null);
    if (action != null) {
      try {
        Callback.run(action);
      } catch (Throwable thrown) { // of a backend; the thread that cancels has more to do
        LOG.log(System.Logger.Level.ERROR, "an action on cancellation failed", thrown);
      }
    }
  }
}
