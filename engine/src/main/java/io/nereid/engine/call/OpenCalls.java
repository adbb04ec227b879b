package io.nereid.engine.call;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.thread.Uninterrupted;
import io.nereid.error.InferenceException;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of the calls on behalf of one request is open: the calls that run, the models that they are
 * of, responses and memory. All of it ends with the request. Thread-safe.
 */
final class OpenCalls {
  private static final System.Logger LOG = System.getLogger(OpenCalls.class.getName());

  private record Wanted(String model, OptionalLong version) {}

  private final CallingModel model;
  private final String requestId;

  /** The models that were called, entered until the end; guarded by this, as what follows. */
  private final Map<Wanted, CalledModel> called = new HashMap<>();

  /** The calls whose inputs may be read. */
  private final Set<RunningCall> running = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What is to be closed, by what it is made of. */
  private final IdentityHashMap<Object, AutoCloseable> open = new IdentityHashMap<>();

  private boolean cancelled;
  private boolean ended;

  /** What runs once the last call has ended behind the end of the request; null if nothing does. */
  private @Nullable Runnable onLast;

  /**
   * @param model that calls
   * @param requestId of the request, for the log; empty if it has none
   */
  OpenCalls(CallingModel model, String requestId) {
    this.model = model;
    this.requestId = requestId;
  }

  /**
   * A model, which stays entered until the end.
   *
   * @throws InferenceException CANCELLED with the request; or as of {@link CalledModels#enter}
   */
  synchronized CalledModel enter(String name, OptionalLong version) {
    requireOpen();
    var wanted = new Wanted(name, version);
    CalledModel known = called.get(wanted);
    if (known != null) {
      return known;
    }
    CalledModel entered = model.models().enter(name, version);
    try {
      called.put(wanted, entered);
      return entered;
    } catch (Throwable noMemory) {
      entered.leave();
      throw noMemory;
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

  /**
   * Memory for inputs of a model, to be closed by the caller or with the request.
   *
   * @throws InferenceException as of {@link #enter}, or RESOURCE_EXHAUSTED
   */
  CallMemory lend(String name, long byteSize) {
    Lease lease = enter(name, OptionalLong.empty()).inputPool().lease(byteSize); // of a backend
    var memory =
        new CallMemory(
            lease.segment(),
            () -> {
              forget(lease);
              lease.close();
            });
    keep(lease, memory);
    return memory;
  }

  /** A call begins, whose inputs may be read from now on. */
  synchronized void begin(RunningCall call) {
    requireOpen();
    running.add(call);
  }

  /** A call has ended: its inputs are not read any more. */
  void ended(RunningCall call) {
    synchronized (this) {
      running.remove(call);
      notifyAll();
    }
    runOnLast();
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
    keep(response, taken);
    return taken;
  }

  /** Closes something with the request, at once if that has ended. */
  void keep(Object key, AutoCloseable closeable) {
    boolean kept = false;
    try {
      synchronized (this) {
        if (!ended) {
          open.put(key, closeable);
          kept = true;
        }
      }
    } finally {
      if (!kept) { // the request has ended, or no memory
        close(closeable);
      }
    }
  }

  /** Something is closed. */
  synchronized void forget(Object key) {
    open.remove(key);
  }

  /** Waits until a call has ended that is cancelled, or has its outcome. */
  synchronized void awaitEnd(RunningCall call) {
    Uninterrupted.until(() -> !running.contains(call), this::wait);
  }

  /** The request is cancelled: so are its calls. Does not wait. */
  void cancel() {
    List<RunningCall> calls;
    synchronized (this) {
      cancelled = true;
      calls = List.copyOf(running);
    }
    calls.forEach(RunningCall::cancel);
  }

  /** Ends all of it, and waits until no call reads its inputs. */
  void close() {
    beginEnd(null).forEach(this::awaitEnd);
    closeAll();
  }

  /**
   * Ends all of it without a wait.
   *
   * @param then run once no call reads its inputs: before this method returns, or by the thread
   *     that ends the last of them
   */
  void close(Runnable then) {
    var _ = beginEnd(then);
    runOnLast();
  }

  /** No call begins any more, and those that run, which are returned, are cancelled. */
  private List<RunningCall> beginEnd(@Nullable Runnable then) {
    List<RunningCall> calls;
    boolean isExpected;
    synchronized (this) {
      ended = true;
      onLast = then;
      calls = List.copyOf(running);
      isExpected = cancelled || calls.isEmpty();
    }
    if (!isExpected) {
      LOG.log(
          Level.WARNING,
          "{0}model ''{1}'' has answered while {2} of its calls had not ended; they are cancelled",
          RequestErrors.prefix(requestId),
          model.name(),
          calls.size());
    }
    calls.forEach(RunningCall::cancel);
    return calls;
  }

  private void runOnLast() {
    Runnable then;
    synchronized (this) {
      then = running.isEmpty() ? onLast : null;
      if (then != null) {
        onLast = null;
      }
    }
    if (then != null) {
      closeAll();
      then.run();
    }
  }

  private void closeAll() {
    List<AutoCloseable> left;
    List<CalledModel> entered;
    synchronized (this) {
      left = new ArrayList<>(open.values());
      entered = List.copyOf(called.values());
      called.clear();
    }
    left.forEach(OpenCalls::close);
    entered.forEach(CalledModel::leave);
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Throwable failed) { // also an Error: there is more to close
      LOG.log(Level.ERROR, "what a call has left open was not closed", failed);
    }
  }
}
