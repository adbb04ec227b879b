package io.nereid.engine.execution.batch;

import io.nereid.config.ModelConfig;
import io.nereid.engine.call.Callback;
import io.nereid.engine.call.RequestCalls;
import io.nereid.engine.request.Deliveries;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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

  /**
   * What is called of others: a receiver of responses, or the backend, whose lock may be wanted.
   */
  private final Deliveries deliveries = new Deliveries();

  private final ExecutionMeter meter;
  private final DetachedRequests all;

  /** Those that the backend has asked for; null if it has not; written under the lock. */
  private volatile @Nullable RequestCalls calls;

  /** Whether the execution has returned. */
  private boolean executed;

  /** The request ends with the last of these: its execution, its calls. */
  private final AtomicInteger awaited = new AtomicInteger(2);

  private final AtomicBoolean misuseLogged = new AtomicBoolean();

  /** Whether the backend has ended the request; written under the lock. */
  private volatile boolean ended;

  /** The thread of the backend that used the request last: it is the one that answers it. */
  private volatile Thread lastCaller = Thread.currentThread();

  private boolean hasCancelAction;

  /** What is to run on a cancellation; null if nothing is, or it has run. */
  private final AtomicReference<@Nullable Runnable> cancelAction = new AtomicReference<>();

  /**
   * @param batch told of a cancellation too
   * @param attached that of the execution, which passes the request on
   * @param meter measures it from now on
   * @param all those of the instance, which this is added to
   */
  DetachedResponder(
      ModelConfig config,
      PendingRequest request,
      RequestBatch batch,
      RequestOutputs outputs,
      ResponseBuilder attached,
      ExecutionMeter meter,
      DetachedRequests all) {
    this.config = config;
    this.request = request;
    this.batch = batch;
    this.outputs = outputs;
    this.builder = attached.detach(meter, deliveries);
    this.meter = meter;
    this.all = all;
  }

  /** The start of the execution. */
  long start() {
    return meter.start();
  }

  Thread lastCaller() {
    return lastCaller;
  }

  /** Makes a call of the backend, and then, without the lock, the calls of others that it needs. */
  private <T> T call(Supplier<T> call) {
    lastCaller = Thread.currentThread();
    try {
      synchronized (this) {
        if (!ended) {
          return call.get();
        }
      }
    } finally {
      deliveries.pass();
    }
    throw misuse();
  }

  private void run(Runnable call) {
    var _ =
        call(() -> {
          call.run();
          return true;
        });
  }

  /** The failure of a call behind the end; the first time, a line of the log says so. */
  private IllegalStateException misuse() {
    String misuse =
        "%smodel '%s': backend '%s' used a detached request after its end"
            .formatted(RequestErrors.prefix(request.id()), config.name(), config.backend());
    var failure = new IllegalStateException(misuse);
    if (misuseLogged.compareAndSet(false, true)) {
      LOG.log(System.Logger.Level.ERROR, misuse, failure);
    }
    return failure;
  }

  @Override
  public InferenceRequest request() {
    return call(request::request);
  }

  @Override
  public Optional<Tensor> input(String name) {
    return call(() -> RequestBatch.forModel(config, request.request().input(name)));
  }

  @Override
  public boolean wants(String output) {
    return call(() -> builder.wants(output));
  }

  @Override
  public MemorySegment allocate(String output, DataType dataType, Shape shape, long byteSize) {
    return call(
        () -> outputs.allocate(builder, /* isPadding= */ false, output, dataType, shape, byteSize));
  }

  @Override
  public void give(Tensor output, Runnable release) {
    try {
      run(() -> outputs.give(builder, /* isPadding= */ false, output, release));
    } catch (IllegalStateException misused) {
      release.run();
      throw misused;
    }
  }

  @Override
  public void parameter(String name, Parameter value) {
    Objects.requireNonNull(name);
    Objects.requireNonNull(value);
    run(() -> builder.parameter(name, value));
  }

  @Override
  public boolean isTraced() {
    return call(() -> request.trace() != null);
  }

  @Override
  public void activity(String name, long nanoTime) {
    run(() -> {
      RequestTrace trace = request.trace();
      if (trace != null) {
        trace.activity(name, nanoTime);
      }
    });
  }

  @Override
  public void send() {
    boolean last =
        call(() -> {
          if (config.decoupled()) {
            builder.send();
            return false;
          }
          ends();
          if (executed) {
            builder.checkContent(); // the response leaves behind the inputs' release
          } else {
            builder.send();
          }
          return true;
        });
    if (last) {
      endCalls();
    }
  }

  @Override
  public void finish() {
    run(() -> {
      if (!config.decoupled()) {
        throw BatchResults.notDecoupled(config);
      }
      ends();
      builder.finish();
    });
    endCalls();
  }

  @Override
  public void fail(InferenceException failure) {
    Objects.requireNonNull(failure);
    run(() -> {
      ends();
      builder.fail(failure);
    });
    endCalls();
  }

  private void ends() {
    ended = true;
    cancelAction.set(null);
    meter.executed();
  }

  @Override
  public ModelCalls calls() {
    return call(() -> {
      RequestCalls known = calls;
      if (known == null) {
        known = batch.callsOfDetached(request);
        calls = known;
        if (request.promise().isDecided()) { // maybe before the calls were known
          known.cancel();
        }
      }
      return known;
    });
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

  /** Ends the request once nothing reads its inputs any more, behind the responses. */
  private void endIfLast() {
    if (awaited.decrementAndGet() == 0) {
      deliveries.add(this::end);
      deliveries.pass();
    }
  }

  /**
   * Ends the request. No lock is held, since what hears of the end may end other requests. Does not
   * throw: a failure is no concern of the backend, or of the rest of the batch.
   */
  private void end() {
    builder.deliverAtOnce();
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
    run(() -> {
      if (hasCancelAction) {
        throw new IllegalStateException("a detached request takes one action on cancellation");
      }
      hasCancelAction = true;
      cancelAction.set(action);
    });
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
