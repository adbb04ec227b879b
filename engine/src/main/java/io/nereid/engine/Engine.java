package io.nereid.engine;

import io.nereid.config.ModelConfig;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.spi.metrics.BackendMetrics;
import io.nereid.spi.metrics.MetricFamily;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Models that are served in this process, without sockets. Thread-safe. A process may have several
 * engines. An engine changes nothing that is global: it has no hook for the end of the process, no
 * signal handler, and logs by {@link System.Logger}.
 *
 * <pre>{@code
 * try (Engine engine = Engine.builder().repository(models).open();
 *     ModelResponse response =
 *         engine.infer(
 *             ModelRequest.to("digits").input("image", Shape.of(1, 1, 8, 8), pixels).build())) {
 *   float[] probabilities = response.floats("probabilities");
 * }
 * }</pre>
 */
public final class Engine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  /** How long a close waits for sequences whose last request has not come. */
  private static final Duration SEQUENCES = Duration.ofSeconds(30);

  private final EngineParts parts;
  private final RequestAdmission admission;
  private final OpenResponses open = new OpenResponses();

  /** Whether {@link #close} ends the parts. */
  private final boolean owned;

  private Engine(EngineParts parts, boolean owned) {
    this.parts = parts;
    this.admission = parts.admission();
    this.owned = owned;
  }

  /** Begins to make an engine. */
  public static EngineBuilder builder() {
    return new EngineBuilder();
  }

  /** Loads the models of an engine whose parts are made; closes the parts if that fails. */
  static Engine start(EngineParts parts) {
    try {
      if (!parts.load()) {
        throw InferenceException.internal(parts.models().startFailures());
      }
    } catch (RuntimeException | Error failed) {
      try (var _ = new Engine(parts, true)) {
        throw failed;
      }
    }
    parts.serve();
    return new Engine(parts, true);
  }

  /** An engine of parts that front ends have started, and close: its own close has no effect. */
  public static Engine of(EngineParts parts) {
    return new Engine(parts, false);
  }

  /**
   * Sends a request and waits for its response. If an instance is idle and its batches are short,
   * this thread executes the request itself.
   *
   * @return owned by the caller
   * @throws InferenceException why the request has failed; DEADLINE_EXCEEDED behind its timeout,
   *     CANCELLED if this thread is interrupted, UNSUPPORTED if the model is decoupled
   */
  public ModelResponse infer(ModelRequest request) {
    var timeout = RequestTimeout.after(request.timeout());
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    submit(request, oneResponse(request), promise, timeout);
    try {
      return new ModelResponse(receiver.await(promise, timeout.leftNanos()), open);
    } catch (InferenceException failure) {
      throw timeout.explain(failure);
    }
  }

  /**
   * Sends a request, and returns at once. The future is completed by a thread of the engine, which
   * must not be held up: use the {@code Async} methods for what takes time. It fails with the
   * {@link InferenceException}, or a {@link TimeoutException} behind the timeout of the request.
   * Cancelling it cancels the request.
   *
   * @return of a response that its taker closes
   */
  public CompletableFuture<ModelResponse> inferAsync(ModelRequest request) {
    var timeout = RequestTimeout.after(request.timeout());
    var future = new CompletableFuture<ModelResponse>();
    var promise = new ResponsePromise(new FutureReceiver(future, timeout, open));
    var _ =
        future.whenComplete((_, failed) -> {
          if (failed instanceof CancellationException || failed instanceof TimeoutException) {
            promise.cancel();
          }
        });
    request
        .timeout()
        .ifPresent(limit -> {
          var _ = future.orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        });
    try {
      submit(request, oneResponse(request), promise, timeout);
    } catch (InferenceException failure) {
      future.completeExceptionally(failure);
    }
    return future;
  }

  /**
   * Sends a request to a decoupled model, or to any other, and returns its responses as they come.
   *
   * @return to be closed by this thread, which takes the responses
   * @throws InferenceException if the request cannot be sent
   */
  public ModelResponses stream(ModelRequest request) {
    var timeout = RequestTimeout.after(request.timeout());
    var responses = new ModelResponses(timeout, open);
    try {
      submit(request, model(request.model(), request.version()), responses.promise(), timeout);
      return responses;
    } catch (InferenceException failure) {
      responses.close();
      throw failure;
    }
  }

  private LoadedModel model(String name, OptionalLong version) {
    if (parts.isClosed()) { // and no model is known any more
      throw InferenceException.unavailable("the engine is closed");
    }
    return admission.model(name, version);
  }

  /** The model of a request whose caller takes a single response. */
  private LoadedModel oneResponse(ModelRequest request) {
    LoadedModel model = model(request.model(), request.version());
    if (model.config().decoupled()) {
      throw InferenceException.unsupported(
          "model '%s' is decoupled, a request has any number of responses: Engine.stream gives them"
              .formatted(request.model()));
    }
    return model;
  }

  private void submit(
      ModelRequest request, LoadedModel model, ResponsePromise promise, RequestTimeout timeout) {
    DecodedRequest decoded = RequestInputs.copy(request, model.inputPool());
    admission.submit(model, request.version(), decoded, promise, timeout.leftNanos());
  }

  /** Completes a future with a single response. */
  private record FutureReceiver(
      CompletableFuture<ModelResponse> future, RequestTimeout timeout, OpenResponses open)
      implements ResponseReceiver {
    @Override
    public void answer(InferenceResponse response) {
      var owned = new ModelResponse(response, open);
      if (!future.complete(owned)) { // it was cancelled
        owned.close();
      }
    }

    @Override
    public void fail(InferenceException failure) {
      InferenceException reason = timeout.explain(failure); // the engine's timer may be the first
      future.completeExceptionally(
          reason.equals(failure) ? failure : new TimeoutException(reason.getMessage()));
    }
  }

  /** Whether requests are accepted, all models have served, and those that do are healthy. */
  public boolean isReady() {
    return admission.isReady();
  }

  /** Whether any version of a model is ready. */
  public boolean isReady(String model) {
    return admission.isReady(model, OptionalLong.empty());
  }

  /**
   * The completed configuration of the newest version of a model.
   *
   * @throws InferenceException NOT_FOUND or UNAVAILABLE
   */
  public ModelConfig configuration(String model) {
    return model(model, OptionalLong.empty()).config();
  }

  /** The models of the repositories and the states of their versions. */
  public List<ModelIndexEntry> index() {
    return parts.models().index(/* readyOnly= */ false);
  }

  /**
   * Loads a model, or loads it again if its files have changed; returns once it serves.
   *
   * @throws InferenceException why it cannot be loaded; what served before serves on
   */
  public void load(String model) {
    parts.models().load(model, LoadParameters.NONE);
  }

  /** Unloads a model, and the ensembles that use it; their requests in flight finish. */
  public void unload(String model) {
    parts.models().unload(model, /* unloadDependents= */ false);
  }

  /** How many versions serve, and why others do not. Reads no repository. */
  public ModelHealth health() {
    return ModelHealth.of(parts.registry());
  }

  /**
   * Adds a listener that is called after each change of the models: once a version serves, has been
   * reloaded, unloads, has gone, or has failed to load. The thread that changes the models calls
   * it, so it must not take long; what it throws is logged. Several threads may call it at a time.
   */
  public void addModelListener(Runnable listener) {
    parts.registry().addListener(listener);
  }

  /** Removes a listener; one that is being called returns later. */
  public void removeModelListener(Runnable listener) {
    parts.registry().removeListener(listener);
  }

  /** Counts and durations of the versions that are ready. */
  public List<StatisticsSnapshot> statistics() {
    return admission.statistics();
  }

  /** The counts behind the metrics of all versions that serve or unload. */
  public List<StatisticsSnapshot> metrics() {
    return admission.metrics();
  }

  /** The metrics that backends count themselves; see {@link BackendMetrics}. */
  public List<MetricFamily> backendMetrics() {
    return parts.backends().metrics();
  }

  /**
   * Rejects new requests, lets those that were accepted finish, and closes models, backends and
   * memory. Returns once everything has ended; a second call has no effect. Responses that were not
   * closed are logged, and their memory is gone.
   */
  @Override
  public void close() {
    if (owned && parts.beginStop()) {
      var _ = parts.finishSequences(System.nanoTime() + SEQUENCES.toNanos());
      parts.close();
      open.describe()
          .ifPresent(left -> LOG.log(Level.WARNING, "responses were never closed: {0}", left));
    }
  }
}
