package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.engine.thread.Uninterrupted;
import io.nereid.error.InferenceException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Closes models that serve no longer, each once its last request has ended. Closing blocks, and
 * calls native code, so platform threads do it. A backend that does not return keeps the memory of
 * the model, and one thread. Thread-safe.
 */
final class ModelCloser {
  private final LifeCycleTelemetry telemetry;
  private final BackendThreads backendThreads;
  private final Set<Thread> threads = new HashSet<>();

  /**
   * @param backendThreads close models whose requests have ended
   */
  ModelCloser(LifeCycleTelemetry telemetry, BackendThreads backendThreads) {
    this.telemetry = telemetry;
    this.backendThreads = backendThreads;
  }

  /**
   * Closes models in the background.
   *
   * @param callers closed first, one after the other, outermost first
   * @param models closed then, all at the same time
   * @param onClosed run after each, with the model
   */
  void close(List<LoadedModel> callers, List<LoadedModel> models, Consumer<LoadedModel> onClosed) {
    if (callers.isEmpty() && models.isEmpty()) {
      return;
    }
    start(
        "callers",
        () -> {
          callers.forEach(model -> close(model, onClosed));
          models.forEach(model -> start(model.key().name(), () -> close(model, onClosed)));
        });
  }

  private void close(LoadedModel model, Consumer<LoadedModel> onClosed) {
    var guard = new ThreadGuard(Thread.currentThread().getName());
    guard.run(model::drain);
    guard.run(() -> closeDrained(model)); // the others must still be closed
    guard.run(() -> onClosed.accept(model));
  }

  private void closeDrained(LoadedModel model) {
    CompletableFuture<Boolean> closed =
        backendThreads.submit(
            Optional.empty(),
            _ -> {
              telemetry.close(model);
              return true;
            },
            InferenceException::cancelled,
            _ -> {});
    try {
      closed.join();
    } catch (CompletionException late) {
      telemetry.notClosed(model);
    }
  }

  private synchronized void start(String name, Runnable task) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("model closer " + name)
            .unstarted(() -> {
              try {
                task.run();
              } finally {
                ended(Thread.currentThread());
              }
            });
    threads.add(thread);
    thread.start();
  }

  private synchronized void ended(Thread thread) {
    threads.remove(thread);
    notifyAll();
  }

  /** Waits until all models are closed. */
  synchronized void await() {
    // Native memory must not be freed under a running request.
    Uninterrupted.until(threads::isEmpty, this::wait);
  }
}
