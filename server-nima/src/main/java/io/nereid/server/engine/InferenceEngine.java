package io.nereid.server.engine;

import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.server.codec.DecodedRequest;
import io.nereid.server.codec.OutputRequest;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.model.ModelRegistry;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.ResponsePromise;
import io.nereid.server.scheduling.Clock;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * What the front ends call: look-ups, and the way of a decoded request into a scheduler. From any
 * thread; never blocks.
 */
public final class InferenceEngine {
  /** The client waits for as long as it takes. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  private static final System.Logger LOG = System.getLogger(InferenceEngine.class.getName());

  private final ModelRegistry registry;
  private final Clock clock;
  private final BooleanSupplier accepting;

  /**
   * @param clock by which requests arrive
   * @param accepting whether the server is up and not on its way down
   */
  public InferenceEngine(ModelRegistry registry, Clock clock, BooleanSupplier accepting) {
    this.registry = registry;
    this.clock = clock;
    this.accepting = accepting;
  }

  /** Whether the server takes requests and every model is ready. */
  public boolean isReady() {
    return accepting.getAsBoolean() && registry.allReady();
  }

  public boolean isReady(String model, OptionalLong version) {
    return accepting.getAsBoolean() && registry.isReady(model, version);
  }

  /**
   * The model version that a request means.
   *
   * @throws InferenceException NOT_FOUND or UNAVAILABLE
   */
  public LoadedModel model(String name, OptionalLong version) {
    return registry.find(name, version);
  }

  /** What the metadata list: the version asked for, or all that are ready. */
  public List<Long> readyVersions(String name, OptionalLong version) {
    return version.isPresent() ? List.of(version.getAsLong()) : registry.readyVersions(name);
  }

  /** What every version that is ready has done, by name and then by version. */
  public List<StatisticsSnapshot> statistics() {
    return registry.ready().stream().map(LoadedModel::statistics).toList();
  }

  /**
   * What a model has done: all its versions that are ready, or the one asked for.
   *
   * @throws InferenceException INVALID_ARGUMENT if it is not ready
   */
  public List<StatisticsSnapshot> statistics(String model, OptionalLong version) {
    return registry.ready(model, version).stream().map(LoadedModel::statistics).toList();
  }

  /**
   * Checks a request and hands it to the model's scheduler. Takes the request; whatever happens,
   * the promise gets an outcome.
   *
   * @param timeLeftNanos for how long the client waits; {@link #NO_LIMIT} if it has not said
   */
  public void submit(
      LoadedModel model, DecodedRequest decoded, ResponsePromise promise, long timeLeftNanos) {
    if (!model.enter()) {
      decoded.close();
      promise.reject(
          InferenceException.unavailable(
              "Request for unknown model: '%s' version %d is not at ready state"
                  .formatted(model.key().name(), model.key().version())));
      return;
    }
    PendingRequest pending;
    try {
      pending = pend(model, decoded, promise, timeLeftNanos);
    } catch (InferenceException refused) {
      refuse(model, decoded, promise, refused);
      return;
    } catch (RuntimeException bug) {
      LOG.log(
          System.Logger.Level.ERROR,
          "a request for '" + model.key() + "' failed unexpectedly",
          bug);
      refuse(model, decoded, promise, InferenceException.unexpected(bug));
      return;
    }
    model.scheduler().submit(pending);
  }

  private static void refuse(
      LoadedModel model,
      DecodedRequest decoded,
      ResponsePromise promise,
      InferenceException reason) {
    decoded.close();
    model.leave();
    promise.reject(reason);
  }

  private PendingRequest pend(
      LoadedModel model, DecodedRequest decoded, ResponsePromise promise, long timeLeftNanos) {
    List<String> outputs =
        model
            .validator()
            .validate(
                decoded.id(),
                decoded.inputs(),
                names(decoded.outputs()),
                decoded.options().sequenceId());
    var request =
        new InferenceRequest(
            model.key(), decoded.id(), decoded.inputs(), outputs, decoded.options());
    long rows = request.rows(model.config());
    long now = clock.nanos();
    long deadline = timeLeftNanos == NO_LIMIT ? NO_LIMIT : now + timeLeftNanos;
    return new PendingRequest(
        request, rows, decoded.takeLeases(), model::leave, promise, now, deadline);
  }

  private static List<String> names(List<OutputRequest> outputs) {
    List<String> names = new ArrayList<>(outputs.size());
    for (OutputRequest output : outputs) {
      names.add(output.name());
    }
    return names;
  }
}
