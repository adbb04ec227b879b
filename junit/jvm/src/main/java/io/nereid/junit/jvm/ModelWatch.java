package io.nereid.junit.jvm;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Model;
import io.nereid.spi.ModelCalls;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.Results;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sees what one model does: whether it executes a request, and what it has opened by its calls and
 * left open. It stands between the engine and the backend, as proxies of the interfaces of the SPI,
 * each of which passes calls on and wraps what comes next. An instance that is pipelined is not
 * watched. Thread-safe.
 */
final class ModelWatch implements BackendProvider {
  private final BackendProvider provider;
  private final String model;
  private final List<String> leaks = new ArrayList<>();
  private final List<WatchedCalls> sessions = new ArrayList<>();
  private int executing;

  /**
   * @param model the name of the one that is watched
   */
  ModelWatch(BackendProvider provider, String model) {
    this.provider = provider;
    this.model = model;
  }

  @Override
  public String name() {
    return provider.name();
  }

  @Override
  public Backend open(BackendContext context) {
    Backend backend = provider.open(context);
    return proxy(
        Backend.class,
        (method, arguments) ->
            method.getName().equals("load")
                    && arguments.length == 3
                    && arguments[1] instanceof ModelConfig config
                    && config.name().equals(model)
                ? watched(
                    (Model)
                        call(
                            backend,
                            method,
                            arguments[0],
                            config,
                            watched((OwnCalls) arguments[2])),
                    config.decoupled())
                : call(backend, method, arguments));
  }

  private interface Handling {
    @Nullable Object handle(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Handling handling) {
    return type.cast(
        Proxy.newProxyInstance(
            ModelWatch.class.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                handling.handle(method, Objects.requireNonNullElse(arguments, new Object[0]))));
  }

  private static Object call(Object target, Method method, Object... arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }

  private OwnCalls watched(OwnCalls own) {
    return new OwnCalls() {
      @Override
      public Session begin(Duration atMost) {
        return watched(own.begin(atMost));
      }

      @Override
      public ModelConfig loadPart(ModelConfig part) {
        return own.loadPart(part);
      }
    };
  }

  private synchronized OwnCalls.Session watched(OwnCalls.Session session) {
    var watched = new WatchedCalls(session, this::ended);
    sessions.add(watched);
    return watched;
  }

  private synchronized void ended(WatchedCalls calls) {
    sessions.remove(calls);
    calls.open().forEach(this::leaked);
  }

  private synchronized void leaked(String what) {
    leaks.add("model '%s' has not closed %s".formatted(model, what));
  }

  private Model watched(Model loaded, boolean isDecoupled) {
    return proxy(
        Model.class,
        (method, arguments) -> {
          Object result = call(loaded, method, arguments);
          if (method.getName().equals("close")) {
            closed();
          }
          return result instanceof ModelInstance instance && !(result instanceof PipelinedInstance)
              ? watched(instance, isDecoupled)
              : result;
        });
  }

  private synchronized void closed() {
    sessions.forEach(session -> leaked("a session of calls of its own"));
    sessions.clear();
  }

  private ModelInstance watched(ModelInstance instance, boolean isDecoupled) {
    return proxy(
        ModelInstance.class,
        (method, arguments) -> {
          if (!method.getName().equals("execute")) {
            return call(instance, method, arguments);
          }
          List<WatchedCalls> calls = new ArrayList<>();
          begin();
          try {
            return call(
                instance,
                method,
                watched((Batch) arguments[0], calls),
                watched((Results) arguments[1], isDecoupled));
          } finally {
            calls.forEach(this::ended);
            end();
          }
        });
  }

  private Batch watched(Batch batch, List<WatchedCalls> all) {
    return proxy(
        Batch.class,
        (method, arguments) -> {
          Object result = call(batch, method, arguments);
          return result instanceof ModelCalls calls ? watched(calls, all) : result;
        });
  }

  private static WatchedCalls watched(ModelCalls calls, List<WatchedCalls> all) {
    var watched = new WatchedCalls(calls, _ -> {});
    synchronized (all) {
      all.add(watched);
    }
    return watched;
  }

  private Results watched(Results results, boolean isDecoupled) {
    return proxy(
        Results.class,
        (method, arguments) -> {
          Object result = call(results, method, arguments);
          return result instanceof DetachedRequest request ? watched(request, isDecoupled) : result;
        });
  }

  private DetachedRequest watched(DetachedRequest request, boolean isDecoupled) {
    List<WatchedCalls> all = new ArrayList<>();
    var ended = new AtomicBoolean();
    begin();
    return proxy(
        DetachedRequest.class,
        (method, arguments) -> {
          boolean ends =
              switch (method.getName()) {
                case "send" -> !isDecoupled;
                case "finish", "fail" -> true;
                default -> false;
              };
          if (!ends || !ended.compareAndSet(false, true)) {
            Object result = call(request, method, arguments);
            return result instanceof ModelCalls calls ? watched(calls, all) : result;
          }
          all.forEach(this::ended);
          try {
            return call(request, method, arguments);
          } finally {
            end();
          }
        });
  }

  private synchronized void begin() {
    executing++;
    notifyAll();
  }

  private synchronized void end() {
    executing--;
    notifyAll();
  }

  /**
   * Waits until the model executes a request, or executes none.
   *
   * @return false if that has taken longer
   */
  synchronized boolean await(boolean executes, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    boolean interrupted = false;
    while (executing > 0 != executes) {
      long leftMillis = (end - System.nanoTime()) / 1_000_000;
      if (leftMillis <= 0) {
        break;
      }
      try {
        wait(leftMillis);
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return executing > 0 == executes;
  }

  /** What was found since the call before. */
  synchronized List<String> takeLeaks() {
    List<String> found = List.copyOf(leaks);
    leaks.clear();
    return found;
  }
}
