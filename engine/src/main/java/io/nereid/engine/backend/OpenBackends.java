package io.nereid.engine.backend;

import io.nereid.engine.thread.BoundedCall;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The backends that are open, and those that a thread opens now. A backend that does not open holds
 * up those who want it, and no other. Thread-safe.
 */
final class OpenBackends implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(OpenBackends.class.getName());

  /** The longest that the stop waits for loads to be cancelled, before it refuses requests. */
  private static final Duration MAX_CANCEL = Duration.ofSeconds(1);

  private final Duration maxStop;

  /** In the order in which their opening began; not those that have failed. */
  private final Map<String, CompletableFuture<GuardedBackend>> backends = new LinkedHashMap<>();

  private boolean closed;

  /**
   * @param maxStop the longest that {@link #cancelLoads} and {@link #close} wait for one backend
   */
  OpenBackends(Duration maxStop) {
    this.maxStop = maxStop;
  }

  /**
   * The backend of that name, which this thread opens if there is none.
   *
   * @throws InferenceException from {@code opener}; CANCELLED if the thread is interrupted while
   *     another one opens it; UNAVAILABLE if the server has stopped, also meanwhile
   */
  GuardedBackend get(String name, Supplier<GuardedBackend> opener) {
    var mine = new CompletableFuture<GuardedBackend>();
    CompletableFuture<GuardedBackend> others;
    synchronized (this) {
      if (closed) {
        throw stopped();
      }
      others = backends.putIfAbsent(name, mine);
    }
    if (others != null) {
      return await(others);
    }
    try {
      GuardedBackend backend = opener.get();
      boolean late;
      synchronized (this) {
        late = closed;
        if (!late) {
          mine.complete(backend);
        }
      }
      if (late) {
        end(name, "closed", maxStop, backend::close);
        throw stopped();
      }
      return backend;
    } catch (RuntimeException | Error failed) { // no memory, perhaps: the others wait
      synchronized (this) {
        backends.remove(name, mine);
      }
      mine.completeExceptionally(failed);
      throw failed;
    }
  }

  private static InferenceException stopped() {
    return InferenceException.unavailable("Server exiting");
  }

  private static GuardedBackend await(CompletableFuture<GuardedBackend> opening) {
    try {
      return opening.get();
    } catch (ExecutionException failed) {
      throw InferenceException.of(failed)
          .orElseGet(() ->
              InferenceException.unexpected(Objects.requireNonNullElse(failed.getCause(), failed)));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw InferenceException.cancelled();
    }
  }

  /** The method in which a call for a model is at present; empty if there is none. */
  synchronized Optional<String> running(String name, String model) {
    CompletableFuture<GuardedBackend> opening = backends.get(name);
    if (opening == null || opening.isCompletedExceptionally()) {
      return Optional.empty();
    }
    GuardedBackend opened = opening.getNow(null);
    return opened == null
        ? Optional.of("BackendProvider.open")
        : Optional.ofNullable(opened.running(model));
  }

  /** Has those that are open cancel their loads. */
  void cancelLoads() {
    Duration limit = maxStop.compareTo(MAX_CANCEL) < 0 ? maxStop : MAX_CANCEL;
    opened()
        .forEach((name, backend) -> end(name, "cancelled its loads", limit, backend::cancelLoads));
  }

  /**
   * Closes those that are open and idle, the last one first; opens none from now on, and one that
   * is being opened is closed by its thread. A call that is late, such as one that frees memory,
   * may end yet.
   */
  @Override
  public void close() {
    Map<String, GuardedBackend> opened;
    List<String> all;
    synchronized (this) {
      closed = true;
      opened = opened();
      all = List.copyOf(backends.keySet());
      backends.clear();
    }
    long end = System.nanoTime() + maxStop.toNanos();
    for (String name : all.reversed()) {
      GuardedBackend backend = opened.get(name);
      if (backend != null && becomesIdle(backend, end)) {
        end(name, "closed", maxStop, backend::close);
      } else {
        LOG.log(
            Level.WARNING,
            "backend ''{0}'' is not closed: a call of it has not returned, or a model of it is not"
                + " closed",
            name);
      }
    }
  }

  private static boolean becomesIdle(GuardedBackend backend, long endNanos) {
    while (!backend.isIdle()) {
      if (System.nanoTime() - endNanos >= 0) {
        return false;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return true;
  }

  private synchronized Map<String, GuardedBackend> opened() {
    Map<String, GuardedBackend> opened = new LinkedHashMap<>();
    backends.forEach((name, opening) -> {
      if (opening.isDone() && !opening.isCompletedExceptionally()) {
        opened.put(name, opening.join());
      }
    });
    return opened;
  }

  /** Calls a backend, and goes on if that fails, which is logged, or does not return. */
  private static void end(String name, String what, Duration limit, Runnable call) {
    try {
      var _ = BoundedCall.run("stop of " + name, limit, Executors.callable(call), _ -> {});
    } catch (ExecutionException failed) {
      LOG.log(Level.WARNING, "backend ''{0}'' has not {1}: {2}", name, what, failed.getCause());
    } catch (TimeoutException late) {
      LOG.log(
          Level.WARNING,
          "backend ''{0}'' has not {1} within {2} ms; its thread is left behind",
          name,
          what,
          limit.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
