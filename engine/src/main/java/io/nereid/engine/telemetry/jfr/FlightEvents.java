package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Begins the events, each of which is null where nothing can record it. An event class registers
 * with the recorder when it is initialized, and the first starts a part of the recorder, which
 * takes over 50 ms of a start. So none is initialized before the JVM has a recorder. Thread-safe.
 */
public final class FlightEvents {
  private FlightEvents() {}

  /** A request enters the queue of its scheduler. */
  public static @Nullable QueuedEvent queued() {
    return hasRecorder() ? QueuedEvent.beginIfOn() : null;
  }

  /** Whether batches that are dispatched are to be given to {@link BatchFormedEvent#record}. */
  public static boolean recordsBatches() {
    return hasRecorder() && BatchFormedEvent.isOn();
  }

  /** A backend begins to execute a batch. */
  public static @Nullable ExecutionEvent execution() {
    return hasRecorder() ? ExecutionEvent.beginIfOn() : null;
  }

  /** An instance begins to execute a sample of its warm-up. */
  public static @Nullable WarmupEvent warmup() {
    return hasRecorder() ? WarmupEvent.started() : null;
  }

  /** The load of a model version begins. */
  public static @Nullable ModelLoadEvent load() {
    return hasRecorder() ? ModelLoadEvent.started() : null;
  }

  /** A model version accepts no more requests. */
  public static @Nullable ModelUnloadEvent unload() {
    return hasRecorder() ? ModelUnloadEvent.started() : null;
  }

  /** A change of the instances of a model version begins. */
  public static @Nullable InstanceUpdateEvent instanceUpdate() {
    return hasRecorder() ? InstanceUpdateEvent.started() : null;
  }

  /** A poll of the repositories begins. */
  public static @Nullable RepositoryPollEvent poll() {
    return hasRecorder() ? RepositoryPollEvent.started() : null;
  }

  /**
   * A model version has another state.
   *
   * @param oldState empty if the version was not known
   * @param reason why the version is unavailable, else empty
   */
  public static void modelState(ModelKey key, String oldState, String newState, String reason) {
    if (hasRecorder()) {
      ModelStateEvent.record(key, oldState, newState, reason);
    }
  }

  private static boolean hasRecorder() {
    return FlightRecorder.isInitialized();
  }
}
