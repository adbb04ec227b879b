package io.nereid.engine.backend;

import io.nereid.engine.plugin.MissingClasses;
import io.nereid.engine.plugin.PluginContext;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one backend. Each has the backend's context class loader, and ends with a value or
 * an {@link InferenceException} that names backend, method and model: also if the backend throws
 * anything else, an {@link Error} included, or returns null. Thread-safe.
 */
final class BackendCalls {
  private static final System.Logger LOG = System.getLogger(BackendCalls.class.getName());

  /** A call that has not returned; compared by identity. */
  private static final class Running {
    private final String model;
    private final String method;

    Running(String model, String method) {
      this.model = model;
      this.method = method;
    }
  }

  private final String backend;
  final ClassLoader loader;
  private final Set<Running> running = ConcurrentHashMap.newKeySet();

  /**
   * @param backend its name
   * @param loader that defined its classes
   */
  BackendCalls(String backend, ClassLoader loader) {
    this.backend = backend;
    this.loader = loader;
  }

  /**
   * Calls the backend.
   *
   * @param model the name of the model that it is called for; empty if for none
   * @param method the type and name of what is called, such as {@code Backend.load}
   */
  <T> T call(String model, String method, Supplier<@Nullable T> call) {
    var started = new Running(model, method);
    running.add(started);
    T value;
    try (var _ = new PluginContext(loader)) {
      value = call.get();
    } catch (Throwable thrown) { // also an Error, such as of a jar that is missing
      throw InferenceException.of(thrown).orElseGet(() -> failed(model, method, thrown));
    } finally {
      running.remove(started);
    }
    if (value == null) {
      InferenceException none =
          InferenceException.internal(what(model, method) + " has returned null");
      LOG.log(Level.ERROR, "{0}", none.getMessage());
      throw none;
    }
    return value;
  }

  /** Calls a method that returns a list, without nulls; the result is a copy. */
  <T> List<T> list(String model, String method, Supplier<@Nullable List<T>> call) {
    return call(
        model,
        method,
        () -> {
          List<T> list = call.get();
          return list == null ? null : List.copyOf(list);
        });
  }

  /** Calls a method without a result. */
  void run(String model, String method, Runnable call) {
    call(
        model,
        method,
        () -> {
          call.run();
          return true;
        });
  }

  /** Logs what a backend has thrown, and wraps it. */
  InferenceException failed(String model, String method, Throwable thrown) {
    String what = what(model, method) + " failed unexpectedly";
    LOG.log(Level.ERROR, what, thrown);
    return new InferenceException(
        StatusCode.INTERNAL, "%s: %s".formatted(what, reason(thrown)), thrown);
  }

  /** What a backend has thrown, on one line: that a class is missing, where that is the cause. */
  static String reason(Throwable thrown) {
    return MissingClasses.of(thrown)
        .map(name ->
            "class %s is missing: add the jar that has it to the backend's folder".formatted(name))
        .orElseGet(() -> String.valueOf(thrown));
  }

  /** How a sentence about a call begins. */
  String what(String model, String method) {
    String subject = "%s of backend '%s'".formatted(method, backend);
    return model.isEmpty() ? subject : "model '%s': %s".formatted(model, subject);
  }

  /**
   * The method in which a call for a model is at present, else one for no model; null if there is
   * none.
   */
  @Nullable String running(String model) {
    String found = null;
    for (Running each : running) {
      if (each.model.equals(model)) {
        return each.method;
      }
      if (each.model.isEmpty()) {
        found = each.method;
      }
    }
    return found;
  }

  /** Whether no call runs. */
  boolean isIdle() {
    return running.isEmpty();
  }
}
