package io.nereid.engine.call;

import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Tensor;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The calls on behalf of one request. Each is a request of the called model, admitted as those of
 * ensembles' steps are, and a child of the caller's. Knows what of them is open, which {@link
 * #close} ends with the caller's request. Thread-safe.
 */
public final class RequestCalls implements ModelCalls, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RequestCalls.class.getName());

  /** Which version of a model was asked for. */
  private record Wanted(String model, OptionalLong version) {}

  private final CallingModel model;
  private final PendingRequest caller;
  private final boolean holdsResources;

  /** The models that were called, entered until the end; guarded by this, as what follows. */
  private final Map<Wanted, CalledModel> called = new HashMap<>();

  /** The calls whose inputs may be read. */
  private final Set<RunningCall> running = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What is to be closed, by what it is made of. */
  private final IdentityHashMap<Object, AutoCloseable> open = new IdentityHashMap<>();

  private boolean cancelled;
  private boolean ended;

  /**
   * @param caller does not end before {@link #close}
   * @param holdsResources whether the instance that executes it holds resources of the rate limiter
   */
  public RequestCalls(CallingModel model, PendingRequest caller, boolean holdsResources) {
    this.model = model;
    this.caller = caller;
    this.holdsResources = holdsResources;
  }

  @Override
  public CallResponse infer(ModelCall call) {
    Callback.requireMayWait("ModelCalls.infer");
    CallTerms terms = terms(call);
    var pending = new PendingCall(this, terms, Thread.currentThread());
    submit(call, terms, pending, pending.promise(), pending::inputsFree);
    return pending.await();
  }

  @Override
  public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
    CallTerms terms = terms(call);
    var pending = new PendingCall(this, terms, null);
    try {
      submit(call, terms, pending, pending.promise(), pending::inputsFree);
    } catch (InferenceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    return pending.future();
  }

  @Override
  public CallResponses stream(ModelCall call) {
    CallTerms terms = terms(call);
    var stream = new CallStream(this, terms);
    submit(call, terms, stream, stream.promise(), stream::inputsFree);
    keepOpen(stream, stream);
    return stream;
  }

  @Override
  public CallMemory allocate(String name, long byteSize) {
    CalledModel target = enter(name, OptionalLong.empty());
    Lease lease = target.inputPool().lease(byteSize);
    var memory =
        new CallMemory(
            lease.segment(),
            () -> {
              forget(lease);
              lease.close();
            });
    keepOpen(lease, memory);
    return memory;
  }

  private CallTerms terms(ModelCall call) {
    return CallTerms.of(model, call, caller.deadlineNanos());
  }

  private void submit(
      ModelCall call,
      CallTerms terms,
      RunningCall begun,
      ResponsePromise promise,
      Runnable inputsFree) {
    CalledModel target = enter(call.model(), call.version());
    InferenceRequest made = request(call, target);
    PendingRequest request =
        caller.child(
            made,
            made.rows(target.config()),
            inputsFree,
            promise,
            model.clock().getAsLong(),
            terms.deadlineNanos());
    begin(begun);
    target.admit(request);
  }

  /** The model, which stays entered until the end of the request. */
  private CalledModel enter(String name, OptionalLong version) {
    if (holdsResources) {
      throw InferenceException.invalid(
          ("model '%s' cannot call model '%s' from an instance that holds resources of the rate"
                  + " limiter: what it waits for may wait for them")
              .formatted(model.name(), name));
    }
    CallChain.require(caller, name);
    synchronized (this) {
      requireOpen();
      return called.computeIfAbsent(
          new Wanted(name, version), _ -> model.models().enter(name, version));
    }
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException(
          "model '%s' used the calls of a request that has ended".formatted(model.name()));
    }
    if (cancelled) {
      throw InferenceException.cancelled();
    }
  }

  private InferenceRequest request(ModelCall call, CalledModel target) {
    String id = caller.id();
    CallInputs.check(call);
    requireDistinct(call.inputs(), Tensor::name, RequestErrors::duplicateInput);
    requireDistinct(call.outputs(), Function.identity(), RequestErrors::duplicateOutput);
    List<String> outputs =
        call.outputs().isEmpty()
            ? target.config().outputs().stream().map(TensorConfig::name).toList()
            : call.outputs();
    return new InferenceRequest(target.key(), id, call.inputs(), outputs, options(call));
  }

  private <T> void requireDistinct(
      List<T> all,
      Function<T, String> name,
      BiFunction<String, String, InferenceException> duplicate) {
    for (int i = 1; i < all.size(); i++) {
      for (int k = 0; k < i; k++) {
        if (name.apply(all.get(i)).equals(name.apply(all.get(k)))) {
          throw duplicate.apply(caller.id(), name.apply(all.get(i)));
        }
      }
    }
  }

  private RequestOptions options(ModelCall call) {
    RequestOptions outer = caller.request().options();
    ModelCall.Sequence sequence =
        call.sequence()
            .orElseGet(() ->
                new ModelCall.Sequence(
                    outer.sequenceId(), outer.sequenceStart(), outer.sequenceEnd()));
    return new RequestOptions(
        sequence.id(),
        sequence.start(),
        sequence.end(),
        outer.priority(),
        outer.timeoutMicros(),
        call.parameters());
  }

  private synchronized void begin(RunningCall call) {
    requireOpen();
    running.add(call);
  }

  /** A call has ended: its inputs are not read any more. */
  synchronized void ended(RunningCall call) {
    running.remove(call);
    notifyAll();
  }

  /** A call has ended with a response, which this method takes. */
  CallResponse ended(RunningCall call, InferenceResponse response) {
    CallResponse taken = response(response);
    ended(call);
    return taken;
  }

  /** A response for the caller; closed if the request has ended. Takes it. */
  CallResponse response(InferenceResponse response) {
    var taken =
        new CallResponse(
            response.model(),
            response.parameters(),
            response.outputs(),
            () -> {
              forget(response);
              response.close();
            });
    keepOpen(response, taken);
    return taken;
  }

  private void keepOpen(Object key, AutoCloseable closeable) {
    boolean late;
    synchronized (this) {
      late = ended;
      if (!late) {
        open.put(key, closeable);
      }
    }
    if (late) {
      close(closeable);
    }
  }

  /** Something is closed. */
  synchronized void forget(Object key) {
    open.remove(key);
  }

  /** Waits until a call has ended that is cancelled, or has its outcome. */
  void awaitEnd(RunningCall call) {
    boolean interrupted = false;
    synchronized (this) {
      while (running.contains(call)) {
        try {
          wait();
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The request is cancelled: so are its calls. Does not wait. */
  public void cancel() {
    List<RunningCall> calls;
    synchronized (this) {
      cancelled = true;
      calls = List.copyOf(running);
    }
    calls.forEach(RunningCall::cancel);
  }

  /**
   * Ends the calls with the execution of the request: cancels those that run, waits until their
   * inputs are not read any more, and closes what is open. No call begins afterwards.
   */
  @Override
  public void close() {
    List<RunningCall> calls;
    synchronized (this) {
      ended = true;
      calls = List.copyOf(running);
    }
    if (!calls.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "{0}model ''{1}'' has returned while {2} of its calls had not ended; they are cancelled",
          RequestErrors.prefix(caller.id()),
          model.name(),
          calls.size());
      calls.forEach(RunningCall::cancel);
      calls.forEach(this::awaitEnd);
    }
    List<AutoCloseable> left;
    synchronized (this) {
      left = new ArrayList<>(open.values());
    }
    left.forEach(RequestCalls::close);
    List<CalledModel> entered;
    synchronized (this) {
      entered = List.copyOf(called.values());
      called.clear();
    }
    entered.forEach(CalledModel::leave);
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception failed) {
      LOG.log(Level.ERROR, "what a call has left open was not closed", failed);
    }
  }
}
