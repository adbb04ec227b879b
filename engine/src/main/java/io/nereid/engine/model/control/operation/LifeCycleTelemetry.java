package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.jfr.InstanceUpdateEvent;
import io.nereid.engine.telemetry.jfr.ModelLoadEvent;
import io.nereid.engine.telemetry.jfr.ModelUnloadEvent;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot.VersionState;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Reports what becomes of models: to the log in Triton's words, which scripts look for, to Java
 * Flight Recorder, and as counts for metrics. Thread-safe.
 */
public final class LifeCycleTelemetry {
  private static final System.Logger LOG = System.getLogger(LifeCycleTelemetry.class.getName());

  private final LongAdder loads = new LongAdder();
  private final LongAdder failedLoads = new LongAdder();
  private final LongAdder unloads = new LongAdder();

  /** How many calls of backends have not returned in time. */
  private final AtomicLong leftBehind = new AtomicLong();

  /**
   * Loads a version on the calling thread, and reports it unless it is late: then {@link #late} has
   * reported it.
   */
  public LoadedModel load(
      PolledModel polled, long version, Supplier<LoadedModel> loader, BooleanSupplier isLate) {
    LOG.log(Level.INFO, "loading: {0}:{1}", polled.id(), Long.toString(version));
    ModelLoadEvent event = FlightEvents.load();
    try {
      LoadedModel model = loader.get();
      if (event != null) {
        event.loaded(model.key(), model.configuration().instances().size());
      }
      if (!isLate.getAsBoolean()) {
        loads.increment();
      }
      return model;
    } catch (RuntimeException | Error failure) {
      if (isLate.getAsBoolean()) {
        throw failure;
      }
      if (event != null) {
        event.failed(new ModelKey(polled.name(), version), LoadFailure.known(failure).reason());
      }
      failedLoads.increment();
      failed(polled.id(), version, failure);
      throw failure;
    }
  }

  /** Reports that a version has not loaded in time; its thread is left behind. */
  void late(ModelId id, long version, Throwable failure) {
    failedLoads.increment();
    failed(id, version, failure);
    logLeftBehind();
  }

  /** Closes a version that was loaded too late, on the thread that was left behind. */
  void returnedLate(LoadedModel model) {
    LOG.log(Level.INFO, "{0} was loaded too late, and is closed", model.key());
    model.close();
  }

  /** Reports that a version was not closed in time; its thread is left behind. */
  void notClosed(LoadedModel model) {
    LOG.log(
        Level.ERROR,
        "{0} is not closed: backend ''{1}'' has not returned in time. Its thread is left behind,"
            + " and the version counts as unloaded.",
        model.key(),
        model.config().backend());
    logLeftBehind();
  }

  private void logLeftBehind() {
    LOG.log(
        Level.WARNING,
        "calls of backends that were left behind so far: {0}",
        leftBehind.incrementAndGet());
  }

  /** Changes the instances of a version on the calling thread, and reports it. */
  public void update(ModelId id, LoadedModel model, Supplier<ModelConfiguration> configuration) {
    InstanceUpdateEvent event = FlightEvents.instanceUpdate();
    int before = model.configuration().instances().size();
    boolean failed = true;
    try {
      model.update(configuration.get());
      failed = false;
    } catch (RuntimeException | Error failure) {
      failed(id, model.key().version(), failure);
      throw failure;
    } finally {
      if (event != null) {
        event.record(model.key(), before, model.configuration().instances().size(), failed);
      }
    }
  }

  private static void failed(ModelId id, long version, Throwable failure) {
    LOG.log(
        Level.ERROR,
        "failed to load ''{0}'' version {1}: {2}",
        id,
        Long.toString(version),
        LoadFailure.known(failure).reason());
    if (!(failure instanceof InferenceException)) {
      LOG.log(Level.ERROR, "unexpected failure", failure);
    }
  }

  /** Reports that all versions of a model serve which it is to have. */
  public void serves(ModelId id) {
    LOG.log(Level.INFO, "successfully loaded ''{0}''", id);
  }

  /** Reports that a model failed before one of its versions began to load. */
  public void notLoaded(ModelId id, String reason) {
    failedLoads.increment();
    failed(id, reason);
  }

  /** Reports that a model failed for a reason that is no single version's. */
  public void failed(ModelId id, String reason) {
    LOG.log(Level.ERROR, "failed to load ''{0}'': {1}", id, reason);
  }

  /** Closes a version on the calling thread, after its last request, and reports it. */
  public void close(LoadedModel model) {
    ModelUnloadEvent event = FlightEvents.unload();
    try {
      model.close();
      LOG.log(
          Level.INFO,
          "successfully unloaded ''{0}'' version {1}",
          model.key().name(),
          Long.toString(model.key().version()));
    } catch (RuntimeException | Error failed) { // by a backend; the others close all the same
      LOG.log(Level.ERROR, "'" + model.key() + "' could not be closed", failed);
    } finally {
      if (event != null) {
        event.closed(model.key());
      }
      unloads.increment();
    }
  }

  /** The counts so far, with the states of these models. */
  public LifeCycleSnapshot snapshot(Map<ModelId, ModelEntry> models) {
    List<VersionState> states = new ArrayList<>();
    for (Map.Entry<ModelId, ModelEntry> model : new TreeMap<>(models).entrySet()) {
      ModelId id = model.getKey();
      ModelEntry entry = model.getValue();
      if (entry.versions().isEmpty() && !entry.reason().isEmpty()) {
        states.add(state(id, OptionalLong.empty(), "UNAVAILABLE"));
      }
      entry
          .versions()
          .forEach((version, state) -> {
            if (!state.isUnloaded()) {
              states.add(state(id, OptionalLong.of(version), state.label()));
            }
          });
    }
    return new LifeCycleSnapshot(states, loads.sum(), failedLoads.sum(), unloads.sum());
  }

  private static VersionState state(ModelId id, OptionalLong version, String state) {
    return new VersionState(id.namespace(), id.name(), version, state);
  }
}
