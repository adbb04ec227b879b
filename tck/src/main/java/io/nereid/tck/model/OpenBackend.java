package io.nereid.tck.model;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Model;
import io.nereid.spi.metrics.MetricStore;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.execution.StandInModel;
import io.nereid.tck.execution.TestOwnCalls;
import io.nereid.tck.execution.Violations;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A backend that is opened, with a thread that calls it and its models as a loader of the server
 * does, and another that closes them. Used by the test's thread.
 */
public final class OpenBackend implements AutoCloseable {
  /** The backends that are opened once in a process, by the class of their provider. */
  private static final Map<Class<?>, Opened> ONCE = new HashMap<>();

  private record Opened(Backend backend, TestContext context) {}

  private final BackendUnderTest tested;
  private final Duration maxCall;
  private final boolean opensOnce;
  private final Map<String, StandInModel> calledModels;
  private final Violations violations = new Violations();
  private final CallingThread loader;
  private final CallingThread closer;
  private final Opened opened;

  /** Of the models that are loaded. */
  private final Map<Model, TestOwnCalls> ownCalls =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private OpenBackend(BackendUnderTest tested, CallSettings settings) {
    this.tested = tested;
    this.maxCall = settings.maxCall(); // asked once, by the thread of the test
    this.opensOnce = settings.opensOnce();
    this.calledModels = settings.calledModels();
    this.loader = thread();
    this.closer = thread();
    try {
      this.opened = opensOnce ? openedOnce() : opened();
    } catch (RuntimeException | Error failed) {
      loader.close();
      throw failed;
    }
  }

  public static OpenBackend of(BackendUnderTest tested, CallSettings settings) {
    return new OpenBackend(tested, settings);
  }

  /** How long a call may take. */
  public Duration maxCall() {
    return maxCall;
  }

  /** What stands for the models that are called, by name. */
  Map<String, StandInModel> calledModels() {
    return calledModels;
  }

  /** Asks a provider, by a thread of its own. */
  public static <T> T ask(
      BackendUnderTest tested,
      CallSettings settings,
      String method,
      Function<BackendProvider, T> question) {
    var violations = new Violations();
    var classLoader = tested.provider().getClass().getClassLoader();
    try (var thread = new CallingThread(classLoader, settings.maxCall(), violations)) {
      T answer = thread.call(method, () -> question.apply(tested.provider()));
      violations.requireNone();
      return answer;
    }
  }

  private Opened openedOnce() {
    synchronized (ONCE) {
      Opened known = ONCE.get(tested.provider().getClass());
      if (known == null) {
        known = opened();
        ONCE.put(tested.provider().getClass(), known);
      }
      return known;
    }
  }

  private Opened opened() {
    BackendProvider provider = tested.provider();
    return new Opened(
        present(
            "BackendProvider.open",
            loader.<@Nullable Backend>call(
                "BackendProvider.open", () -> provider.open(tested.context()))),
        tested.context());
  }

  /** Fails if a method has returned null. */
  static <T> T present(String method, @Nullable T value) {
    if (value == null) {
      throw new BrokenRule("BACKEND-LIFE-03", method + " returns null");
    }
    return value;
  }

  /** Asks the backend, by the thread that loads. */
  public <T> T ask(String method, Function<Backend, T> question) {
    return loader.call("Backend." + method, () -> question.apply(backend()));
  }

  /** A further thread that calls this backend. */
  public CallingThread thread() {
    return thread(maxCall);
  }

  /** A further thread, each of whose calls may take that long. */
  public CallingThread thread(Duration limit) {
    return new CallingThread(tested.provider().getClass().getClassLoader(), limit, violations);
  }

  public CallingThread loader() {
    return loader;
  }

  /** For calls on a {@link #thread} or the {@link #loader}. */
  public Backend backend() {
    return opened.backend();
  }

  public BackendUnderTest tested() {
    return tested;
  }

  Violations violations() {
    return violations;
  }

  /** Completes a configuration: what the server does not take of it stays as it was. */
  public ModelConfig complete(ModelConfig config) {
    ModelConfig completed =
        present(
            "Backend.complete",
            loader.<@Nullable ModelConfig>call(
                "Backend.complete", () -> backend().complete(tested.files(), config)));
    Map<String, String> parameters = new HashMap<>(completed.parameters());
    parameters.putAll(config.parameters());
    return config.toBuilder()
        .parameters(parameters)
        .build()
        .withSignature(completed.maxBatchSize(), completed.inputs(), completed.outputs())
        .withScheduling(completed.scheduling())
        .withDecoupled(completed.decoupled());
  }

  /** Loads the model of a completed configuration. */
  public Model load(ModelConfig completed) {
    metrics().begin(opened.context().name(), tested.config().name(), tested.files().version());
    var own = new TestOwnCalls(completed, calledModels);
    try {
      Model loaded =
          present(
              "Backend.load",
              loader.<@Nullable Model>call(
                  "Backend.load", () -> backend().load(tested.files(), completed, own)));
      ownCalls.put(loaded, own);
      return loaded;
    } catch (RuntimeException | Error failed) {
      own.close();
      endMetrics();
      throw failed;
    }
  }

  /** Whether a call has not returned, so that nothing more is closed. */
  boolean isHung() {
    return loader.isHung() || closer.isHung();
  }

  /** Closes a model, by another thread than the one that has loaded it. */
  public void close(Model model) {
    TestOwnCalls own = ownCalls.remove(model);
    if (own != null) {
      own.end();
    }
    try {
      close(closer, "Model.close", model::close);
    } finally {
      if (own != null) {
        own.close();
      }
      endMetrics();
    }
  }

  public MetricStore metrics() {
    return opened.context().store();
  }

  private void endMetrics() {
    metrics().end(opened.context().name(), tested.config().name(), tested.files().version());
  }

  /** Closes something of the backend by one of its threads. */
  static void close(CallingThread thread, String method, Runnable close) {
    try {
      thread.run(method, close);
    } catch (InferenceException thrown) {
      throw new BrokenRule("BACKEND-LIFE-03", method + " throws " + thrown, thrown);
    } catch (AssertionError named) {
      throw new BrokenRule("BACKEND-LIFE-03", String.valueOf(named.getMessage()), named);
    }
  }

  /**
   * Closes the backend, unless a call hangs.
   *
   * @throws BrokenRule if something was done against a rule that was not seen in an execution
   */
  @Override
  public void close() {
    try {
      if (!isHung() && !opensOnce) {
        close(closer, "Backend.close", backend()::close);
      }
    } finally {
      loader.close();
      closer.close();
    }
    violations.requireNone();
  }
}
