package io.nereid.engine.telemetry.trace;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.error.InferenceException;
import io.nereid.spi.trace.TraceContext;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of traces, and the choice of the requests that are traced. Settings of a model take
 * the place of the server's, and those of the server that of the start. While no setting has a
 * level, and nothing is watched, a request costs one read of a field. Thread-safe.
 */
public final class Tracer {
  /** The settings of a model that were specified, and what follows from them. */
  private record ModelTracing(TraceOverrides overrides, TraceSampler sampler) {}

  /** Of requests that are traced only since they are watched. */
  static final TraceSampler WATCHED =
      new TraceSampler(
          new TraceSettings(
              Set.of(TraceLevel.TIMESTAMPS), 1, -1, 0, new TraceDestination.Files("")));

  /** The fewest traces that clients may have in a file, unless the server begins with fewer. */
  private static final long LEAST_FREQUENCY = 100;

  private final TraceSettings start;
  private final ClientSettings clients;
  private final RecentRequests recent;
  private final LongSupplier clock;
  private final TraceSink sink;
  private final AtomicLong ids = new AtomicLong();

  /** What was specified for the server; guarded by this. */
  private TraceOverrides overrides = TraceOverrides.NONE;

  private volatile TraceSampler global;
  private volatile Map<String, ModelTracing> models = Map.of();

  /** Whether some request may be sampled, or is watched. */
  private volatile boolean active;

  /** Whether requests are watched; written under the lock. */
  private volatile boolean watched;

  /**
   * @param clients what clients may change
   * @param clock the nanoseconds of arrival times
   */
  public Tracer(TraceSettings start, ClientSettings clients, LongSupplier clock, TraceSink sink) {
    this.start = start;
    this.clients = clients;
    this.clock = clock;
    this.sink = sink;
    this.recent = new RecentRequests(clock);
    this.global = new TraceSampler(start);
    this.active = global.isActive();
  }

  /**
   * Counts a client's request. One with the context of a client's trace is traced in any case if
   * traces are exported, whatever its flags say, as in Triton.
   *
   * @param carrier of the context
   * @param header returns the value of a header, by its name in lower case; called only if traces
   *     are exported
   * @return to be closed once it is responded to; null if the request is not traced
   */
  public <C> @Nullable RequestTrace sample(
      String model, C carrier, BiFunction<C, String, Optional<String>> header) {
    return active ? sampled(model, carrier, header) : null;
  }

  private <C> @Nullable RequestTrace sampled(
      String model, C carrier, BiFunction<C, String, Optional<String>> header) {
    TraceSampler sampler = sampler(model);
    Optional<TraceContext> parent =
        sampler.isActive() && sampler.exports()
            ? header
                .apply(carrier, "traceparent")
                .flatMap(sent ->
                    TraceContext.parse(sent, header.apply(carrier, "tracestate").orElse("")))
            : Optional.empty();
    boolean isHit = sampler.isHit() || parent.isPresent();
    boolean isWatched = isWatched();
    if (!isHit && !isWatched) {
      return null;
    }
    TraceSink target = isHit ? sink : TraceSink.NONE;
    return new TraceGroup(
            isHit ? sampler : WATCHED,
            clock,
            ids,
            isWatched ? recent.before(model, target) : target,
            parent)
        .trace(0);
  }

  /**
   * Has the requests of a model that end from now on kept, if they are slow or fail; for {@link
   * RecentRequests#TIME}, unless that is asked again.
   *
   * @param model {@link RecentRequests#ALL} for all models
   * @throws InferenceException UNAVAILABLE if as many models are watched as may be
   */
  public synchronized void watch(String model) {
    recent.watch(model);
    watched = true;
    active = true;
  }

  /** What is kept of the requests of a model since {@link #watch}. */
  public RecentRequests.Kept recent(String model) {
    return recent.kept(model);
  }

  private boolean isWatched() {
    if (watched && !recent.isWatched()) {
      endWatch();
    }
    return watched;
  }

  private synchronized void endWatch() {
    watched = recent.isWatched();
    active = isActive();
  }

  private TraceSampler sampler(String model) {
    ModelTracing specified = models.get(model);
    return specified == null ? global : specified.sampler;
  }

  /** The settings of a model; those of the server for {@code ""}. */
  public TraceSettings settings(String model) {
    return sampler(model).settings();
  }

  /**
   * Changes the settings of a model, or those of the server, and with them those of models where
   * they were not specified.
   *
   * @param model empty for those of the server
   * @throws InferenceException INVALID_ARGUMENT if they could not be in force, or clients may not
   *     change them so; nothing is changed
   */
  public synchronized void change(String model, UnaryOperator<TraceOverrides> change) {
    if (model.isEmpty()) {
      changeServer(change);
    } else {
      changeModel(model, change);
    }
  }

  private void changeServer(UnaryOperator<TraceOverrides> change) {
    TraceOverrides changed = allowed(present(overrides, global), change);
    TraceSampler newGlobal = checked(changed.over(start));
    Map<String, ModelTracing> newModels = new HashMap<>(models);
    newModels.replaceAll((_, model) ->
        model.overrides.isComplete()
            ? model
            : over(present(model.overrides, model.sampler), newGlobal));
    Map<String, ModelTracing> oldModels = models;
    TraceSampler oldGlobal = global;
    overrides = changed;
    global = newGlobal;
    models = Map.copyOf(newModels);
    active = isActive();
    replace(oldGlobal);
    oldModels.forEach((name, old) -> {
      if (!old.equals(newModels.get(name))) {
        replace(old.sampler);
      }
    });
  }

  private void changeModel(String model, UnaryOperator<TraceOverrides> change) {
    ModelTracing old = models.get(model);
    TraceOverrides changed =
        allowed(old == null ? TraceOverrides.NONE : present(old.overrides, old.sampler), change);
    Map<String, ModelTracing> newModels = new HashMap<>(models);
    if (changed.equals(TraceOverrides.NONE)) {
      newModels.remove(model);
    } else {
      newModels.put(model, over(changed, global));
    }
    models = Map.copyOf(newModels);
    active = isActive();
    if (old != null) {
      replace(old.sampler);
    }
  }

  /** The changed settings, if clients may change them so. */
  private TraceOverrides allowed(TraceOverrides present, UnaryOperator<TraceOverrides> change) {
    TraceOverrides changed = change.apply(present);
    if (clients == ClientSettings.NONE && !changed.equals(present)) {
      throw clients.refusal("");
    }
    if (clients == ClientSettings.SAFE
        && changed.levels() != null
        && changed.levels().contains(TraceLevel.TENSORS)
        && !start.levels().contains(TraceLevel.TENSORS)) {
      throw clients.refusal("'trace_level' TENSORS: clients may not have tensors traced");
    }
    Long frequency = changed.logFrequency();
    if (clients == ClientSettings.SAFE
        && frequency != null
        && frequency > 0
        && frequency < leastFrequency()) {
      throw clients.refusal(
          "'log_frequency' %d: clients may not have fewer than %d traces in a file"
              .formatted(frequency, leastFrequency()));
    }
    return changed;
  }

  /** The fewest traces that clients may have in a file. */
  private long leastFrequency() {
    return start.logFrequency() == 0
        ? LEAST_FREQUENCY
        : Math.min(LEAST_FREQUENCY, start.logFrequency());
  }

  private static ModelTracing over(TraceOverrides overrides, TraceSampler fallback) {
    return new ModelTracing(overrides, checked(overrides.over(fallback.settings())));
  }

  private static TraceSampler checked(TraceSettings settings) {
    settings
        .obstacle()
        .ifPresent(reason -> {
          throw InferenceException.invalid("Attempting to set invalid trace setting :" + reason);
        });
    return new TraceSampler(settings);
  }

  /** The settings that were specified, with the count that is left. */
  private static TraceOverrides present(TraceOverrides overrides, TraceSampler sampler) {
    return overrides.count() == null ? overrides : overrides.withCount(sampler.settings().count());
  }

  private boolean isActive() {
    return watched
        || global.isActive()
        || models.values().stream().anyMatch(m -> m.sampler.isActive());
  }

  private void replace(TraceSampler old) {
    old.replace();
    sink.replaced(old);
  }
}
