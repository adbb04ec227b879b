package io.nereid.engine.call;

import io.nereid.config.TensorConfig;
import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The calls on behalf of one request. Each is a request of the called model, admitted as those of
 * ensembles' steps are, and a child of the caller's. What is open of them ends with the caller's
 * request. Thread-safe.
 */
public sealed class RequestCalls implements ModelCalls, AutoCloseable permits ModelOwnCalls.Opened {
  /**
   * What a call may need of the stack. Each takes 60 bytes compiled, more interpreted, and 1 ns.
   */
  private static final int STACK_FRAMES = 256;

  private final CallingModel model;
  private final PendingRequest caller;
  private final BooleanSupplier holdsResources;
  private final OpenCalls open;

  /**
   * @param caller does not end before {@link #close}
   * @param holdsResources whether the calling thread is to execute it with resources of the rate
   *     limiter, which the instance then holds
   */
  public RequestCalls(CallingModel model, PendingRequest caller, BooleanSupplier holdsResources) {
    this.model = model;
    this.caller = caller;
    this.holdsResources = holdsResources;
    this.open = new OpenCalls(model, caller.id());
  }

  @Override
  public CallResponse infer(ModelCall call) {
    Callback.requireMayWait("ModelCalls.infer");
    CallTerms terms = terms(call);
    var pending = new PendingCall(open, terms, Thread.currentThread());
    submit(call, terms, pending);
    return pending.await();
  }

  @Override
  public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
    CallTerms terms = terms(call);
    var pending = new PendingCall(open, terms, null);
    try {
      submit(call, terms, pending);
    } catch (InferenceException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    return pending.future();
  }

  @Override
  public CallResponses stream(ModelCall call) {
    CallTerms terms = terms(call);
    var stream = new CallStream(open, terms);
    submit(call, terms, stream);
    open.keep(stream, stream);
    return stream;
  }

  @Override
  public CallMemory allocate(String name, long byteSize) {
    requireCallable(name);
    return open.lend(name, byteSize);
  }

  private CallTerms terms(ModelCall call) {
    return CallTerms.of(model, call, caller.deadlineNanos());
  }

  private void submit(ModelCall call, CallTerms terms, RunningCall begun) {
    requireCallable(call.model());
    requireStack();
    CalledModel target = open.enter(call.model(), call.version());
    CallInputs.check(model.name(), call);
    InferenceRequest made = request(call, target);
    long rows = made.rows(target.config());
    open.begin(begun);
    PendingRequest child;
    try {
      child =
          caller
              .child(
                  made,
                  rows,
                  begun::inputsFree,
                  begun.promise(),
                  model.clock().getAsLong(),
                  terms.deadlineNanos())
              .asCall();
    } catch (Throwable failed) { // no memory
      open.ended(begun);
      throw failed;
    }
    target.admit(child);
  }

  private void requireCallable(String name) {
    if (holdsResources.getAsBoolean()) {
      throw InferenceException.internal(
          ("model '%s' cannot call model '%s' from an instance that holds resources of the rate"
                  + " limiter: what it waits for may wait for them")
              .formatted(model.name(), name));
    }
    CallChain.require(caller, name);
  }

  /**
   * Takes as much of the stack as a call may, and gives it back. A recursion of a model that has
   * used its stack up fails here, before the call has begun, and not within it, where a {@link
   * StackOverflowError} would leave it without an end.
   */
  private static void requireStack() {
    if (takeStack(STACK_FRAMES, 1) == 0) {
      throw new AssertionError("the sum of positive numbers");
    }
  }

  private static long takeStack(int frames, long kept) {
    return frames == 0 ? kept : takeStack(frames - 1, kept) + kept;
  }

  private InferenceRequest request(ModelCall call, CalledModel target) {
    List<String> outputs =
        call.outputs().isEmpty()
            ? target.config().outputs().stream().map(TensorConfig::name).toList()
            : call.outputs();
    return new InferenceRequest(target.key(), caller.id(), call.inputs(), outputs, options(call));
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

  /** The request is cancelled: so are its calls. Does not wait. */
  public void cancel() {
    open.cancel();
  }

  /**
   * Ends the calls with the execution of the request: cancels those that run, waits until their
   * inputs are not read any more, and closes what is open. No call begins afterwards.
   */
  @Override
  public void close() {
    open.close();
  }

  /**
   * Ends the calls as {@link #close} does, but does not wait. Called without a lock that what ends
   * a call may need.
   *
   * @param then run behind the end: before this method returns, or by the thread that ends the last
   *     call; does not throw
   */
  public void close(Runnable then) {
    open.close(then);
  }
}
