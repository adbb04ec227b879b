package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Event;
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
    return hasRecorder() && QueuedEvent.PROBE.isEnabled() ? begun(new QueuedEvent()) : null;
  }

  /** Whether batches that are dispatched are to be given to {@link BatchFormedEvent#record}. */
  public static boolean recordsBatches() {
    return hasRecorder() && BatchFormedEvent.PROBE.isEnabled();
  }

  /** A backend begins to execute a batch. */
  public static @Nullable ExecutionEvent execution() {
    return hasRecorder() && ExecutionEvent.PROBE.isEnabled() ? begun(new ExecutionEvent()) : null;
  }

  /** An instance begins to execute a sample of its warm-up. */
  public static @Nullable WarmupEvent warmup() {
    return hasRecorder() ? begun(new WarmupEvent()) : null;
  }

  /** The load of a model version begins. */
  public static @Nullable ModelLoadEvent load() {
    return hasRecorder() ? begun(new ModelLoadEvent()) : null;
  }

  /** A model version accepts no more requests. */
  public static @Nullable ModelUnloadEvent unload() {
    return hasRecorder() ? begun(new ModelUnloadEvent()) : null;
  }

  /** A change of the instances of a model version begins. */
  public static @Nullable InstanceUpdateEvent instanceUpdate() {
    return hasRecorder() ? begun(new InstanceUpdateEvent()) : null;
  }

  /** A poll of the repositories begins. */
  public static @Nullable RepositoryPollEvent poll() {
    return hasRecorder() ? begun(new RepositoryPollEvent()) : null;
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

  private static <E extends Event> E begun(E event) {
    event.begin();
    return event;
  }

  private static boolean hasRecorder() {
    return FlightRecorder.isInitialized();
  }
}
