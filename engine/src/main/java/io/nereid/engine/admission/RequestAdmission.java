package io.nereid.engine.admission;

import io.nereid.engine.cache.ModelCaching;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The single entry point for requests of clients, of models that call others and of programs that
 * embed the server: every request is admitted by {@link #admit}. Also answers what clients ask
 * about models. May be used by any thread; never blocks.
 */
public final class RequestAdmission {
  /** The time left to a client that has set no deadline. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  private static final System.Logger LOG = System.getLogger(RequestAdmission.class.getName());

  /** Of a request whose priority is not known: no other is refused later. */
  private static final RequestOptions HIGHEST_PRIORITY =
      new RequestOptions(SequenceId.NONE, false, false, 1, 0, Map.of());

  private final ModelRegistry registry;
  private final Clock clock;
  private final BooleanSupplier accepting;
  private final Readiness readiness;
  private final StringInputs strings;
  private volatile boolean live = true;

  /** Whether a client's request has come since {@link #wasIdle} was asked last. */
  private volatile boolean requested;

  /**
   * @param clock the source of arrival times
   * @param accepting whether the server has started and is not stopping
   * @param readiness what the server needs of its models to be ready
   * @param maxStrings the most elements of an input of strings
   */
  public RequestAdmission(
      ModelRegistry registry,
      Clock clock,
      BooleanSupplier accepting,
      Readiness readiness,
      int maxStrings) {
    this.strings = new StringInputs(maxStrings);
    this.registry = registry;
    this.clock = clock;
    this.accepting = accepting;
    this.readiness = readiness;
  }

  /** States that the server could not be initialized: from now on it is not live. */
  public void initializationFailed() {
    live = false;
  }

  /** Whether the server could be initialized. */
  public boolean isLive() {
    return live;
  }

  /** Whether the server accepts requests, and its models are as ready as it needs them to be. */
  public boolean isReady() {
    return obstacle().isEmpty();
  }

  /** Why the server is not ready, as clients may know it; empty if it is. */
  public Optional<String> obstacle() {
    return accepting.getAsBoolean()
        ? registry.obstacle(readiness)
        : Optional.of("the server is starting or stopping, or a thread of it does not work");
  }

  /** Whether the server accepts requests and the model version, or any of it, is ready. */
  public boolean isReady(String model, OptionalLong version) {
    return accepting.getAsBoolean() && registry.isReady(model, version);
  }

  /**
   * Whether no client has sent a request since the last call, and none is in flight. One thread
   * asks.
   */
  public boolean wasIdle() {
    boolean idle = !requested;
    requested = false;
    return idle && registry.ready().stream().noneMatch(LoadedModel::hasRequests);
  }

  /**
   * The model version that serves a request.
   *
   * @param version empty for the newest that is ready
   * @throws InferenceException NOT_FOUND or UNAVAILABLE
   */
  public LoadedModel model(String name, OptionalLong version) {
    return registry.find(name, version);
  }

  /**
   * Checks that settings of a model can be read and changed, with Triton's texts.
   *
   * @throws InferenceException NOT_FOUND if there is no such model, INVALID_ARGUMENT if no version
   *     of it is ready
   */
  public void requireReady(String model) {
    if (registry.isReady(model, OptionalLong.empty())) {
      return;
    }
    try {
      registry.find(model, OptionalLong.empty());
    } catch (InferenceException failure) {
      throw failure.code() == StatusCode.NOT_FOUND
          ? failure
          : InferenceException.invalid("Request for unknown model : " + model);
    }
  }

  /** The versions in a model's metadata: the requested one, or all that are ready. */
  public List<Long> readyVersions(String name, OptionalLong version) {
    return version.isPresent() ? List.of(version.getAsLong()) : registry.readyVersions(name);
  }

  /** All models; the same object until one of them changes. */
  public Map<ModelId, ModelEntry> models() {
    return registry.snapshot();
  }

  /** The number of versions that are ready. */
  public int modelCount() {
    return registry.ready().size();
  }

  /** The statistics of all versions that are ready, by name and then by version. */
  public List<StatisticsSnapshot> statistics() {
    return registry.ready().stream().map(LoadedModel::statistics).toList();
  }

  /** The counts behind the metrics of all versions that serve or unload, in the same order. */
  public List<StatisticsSnapshot> metrics() {
    return registry.measured().stream().map(LoadedModel::metrics).toList();
  }

  /**
   * The statistics of a model: those of all versions that are ready, or of the requested one.
   *
   * @throws InferenceException INVALID_ARGUMENT if it is not ready
   */
  public List<StatisticsSnapshot> statistics(String model, OptionalLong version) {
    return registry.ready(model, version).stream().map(LoadedModel::statistics).toList();
  }

  /**
   * Submits a client's request. Takes it; {@code promise} always gets an outcome, maybe before this
   * method returns.
   *
   * @param model from {@link #model}; if it has been replaced since, its successor gets the request
   * @param version the version that the client asked for
   * @param timeLeftNanos until the client's deadline; {@link #NO_LIMIT} if it has set none
   */
  public void submit(
      LoadedModel model,
      OptionalLong version,
      DecodedRequest decoded,
      ResponsePromise promise,
      long timeLeftNanos) {
    if (!requested) { // not written by each request: all processors read it
      requested = true;
    }
    LoadedModel entered = null;
    PendingRequest request;
    try {
      entered = enter(model, version);
      request = pending(entered, decoded, promise, timeLeftNanos);
    } catch (Throwable thrown) { // unloaded, or no memory
      if (entered != null) {
        entered.leave();
      }
      String what = what(decoded.id(), entered == null ? model : entered);
      end(decoded::close, promise, UnexpectedFailures.of(LOG, what, thrown));
      return;
    }
    admit(entered, request);
  }

  /**
   * Tells of a client's request whose head has come, and whose inputs have not. If it would be
   * refused for the wait that is predicted for it, whatever its priority, {@code promise} is
   * rejected: before this method returns, or later by another thread. Otherwise the request is
   * expected for a short time, and is to be submitted once it has come.
   *
   * @param client whose request it is
   * @param timeLeftNanos as of {@link #submit}
   * @return whether the scheduler was told
   */
  public boolean announce(
      String name,
      OptionalLong version,
      String id,
      ClientKey client,
      ResponsePromise promise,
      long timeLeftNanos) {
    LoadedModel model;
    try {
      model = registry.find(name, version);
    } catch (InferenceException unknown) {
      return false; // the request fails once it has come
    }
    boolean refusable =
        !model.config().decoupled() && model.caching() == null && model.failure() == null;
    if (!refusable || !model.enter()) {
      return false;
    }
    PendingRequest head;
    try {
      long now = clock.nanos();
      long deadline = timeLeftNanos == NO_LIMIT ? NO_LIMIT : now + timeLeftNanos;
      var request = new InferenceRequest(model.key(), id, List.of(), List.of(), HIGHEST_PRIORITY);
      head = new PendingRequest(request, 1, List.of(), model::leave, promise, now, deadline);
      head.setClient(client.text());
    } catch (Throwable noMemory) {
      model.leave();
      throw noMemory;
    }
    model.scheduler().announce(head);
    return true;
  }

  private LoadedModel enter(LoadedModel found, OptionalLong version) {
    LoadedModel model = found;
    while (!model.enter()) {
      LoadedModel next = registry.find(found.key().name(), version);
      if (next.equals(model)) { // the server exits
        throw Scheduler.notReady(model.key().name(), model.key().version());
      }
      model = next;
    }
    return model;
  }

  /** Takes the memory of the decoded request last: a failure before leaves it with its owner. */
  private PendingRequest pending(
      LoadedModel model, DecodedRequest decoded, ResponsePromise promise, long timeLeftNanos) {
    List<String> outputs =
        decoded.outputs().isEmpty() ? model.validator().outputNames() : names(decoded.outputs());
    var request =
        new InferenceRequest(
            model.key(), decoded.id(), decoded.inputs(), outputs, decoded.options());
    long rows = request.rows(model.config());
    long now = clock.nanos();
    long deadline = timeLeftNanos == NO_LIMIT ? NO_LIMIT : now + timeLeftNanos;
    var pending =
        new PendingRequest(request, rows, decoded.leases(), model::leave, promise, now, deadline);
    pending.setTrace(decoded.trace());
    pending.setAnnounced(decoded.isAnnounced());
    pending.setClient(decoded.client().text());
    decoded.takeLeases();
    return pending;
  }

  /**
   * Admits a request: validates it, and responds from the cache or passes it to the model's
   * scheduler. Takes the request, whose promise always gets an outcome.
   *
   * @param model entered
   */
  public void admit(LoadedModel model, PendingRequest request) {
    try {
      submit(model, request);
    } catch (Throwable thrown) { // also an Error: the request must end
      InferenceException reason = UnexpectedFailures.of(LOG, what(request.id(), model), thrown);
      end(request::close, request.promise(), reason);
    }
  }

  /** If this throws, the request is still the caller's. */
  private void submit(LoadedModel model, PendingRequest request) {
    RequestTrace trace = request.trace();
    if (trace != null) {
      trace.begin(model.key(), request.id(), request.arrivalNanos());
    }
    InferenceException failure = model.failure();
    if (failure != null) { // since it was found
      throw failure;
    }
    validate(model, request);
    if (trace != null) {
      trace.queued(request.request().inputs());
    }
    InferenceResponse cached = fromCache(model, request);
    if (cached == null) {
      model.scheduler().submit(request);
    } else {
      request.setCachedResponse(cached);
      if (trace != null) {
        trace.setCached();
      }
      model.scheduler().answerCached(request);
    }
  }

  private void validate(LoadedModel model, PendingRequest request) {
    boolean hasStrings = model.validator().hasStrings();
    if (hasStrings) {
      strings.requireFew(request);
    }
    try {
      model.validator().validate(request.request());
    } catch (InferenceException wrong) {
      throw request.isCall() // no client has made it
          ? new InferenceException(StatusCode.INTERNAL, wrong.getMessage(), wrong)
          : wrong;
    }
    if (hasStrings) {
      strings.count(request);
    }
  }

  /** What failed, for the log. */
  private static String what(String id, LoadedModel model) {
    return RequestErrors.prefix(id) + "a request for '" + model.key() + "'";
  }

  private static @Nullable InferenceResponse fromCache(LoadedModel model, PendingRequest request) {
    ModelCaching caching = model.caching();
    return caching == null ? null : caching.lookUp(request);
  }

  /** Releases what a request has, then rejects it, also if that has failed. */
  private static void end(Runnable close, ResponsePromise promise, InferenceException reason) {
    try {
      close.run();
    } catch (Throwable thrown) { // of a lease
      var _ = UnexpectedFailures.of(LOG, "the release of a request", thrown);
    }
    promise.reject(reason);
  }

  private static List<String> names(List<OutputRequest> outputs) {
    List<String> names = new ArrayList<>(outputs.size());
    for (OutputRequest output : outputs) {
      names.add(output.name());
    }
    return names;
  }
}
