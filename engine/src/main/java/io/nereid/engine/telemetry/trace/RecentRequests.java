package io.nereid.engine.telemetry.trace;

import io.nereid.engine.telemetry.trace.RequestTrace.Timestamp;
import io.nereid.error.InferenceException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The slowest and the failed requests of the last minutes, of models that someone watches, in
 * memory. A watch ends by itself, and its requests are forgotten. Thread-safe.
 */
public final class RecentRequests {
  /** How long requests are watched unless that is asked again. */
  public static final Duration TIME = Duration.ofMinutes(1);

  /** In place of a model's name: the requests of all models. */
  public static final String ALL = "";

  /** The watches at a time: the limit of the memory. */
  static final int MAX_WATCHES = 8;

  /**
   * What is kept of requests.
   *
   * @param leftNanos until no further ones are; not above 0 if none are
   * @param nanos the present time on the clock of arrival times
   * @param slowest those that did not fail, the slowest first
   * @param failed the last one first
   */
  public record Kept(
      long leftNanos, long nanos, List<RecentRequest> slowest, List<RecentRequest> failed) {
    public Kept {
      slowest = List.copyOf(slowest);
      failed = List.copyOf(failed);
    }
  }

  private final LongSupplier clock;

  /** By the name of the model, or {@link #ALL}. */
  private final Map<String, RequestWatch> watches = new HashMap<>();

  /**
   * @param clock the nanoseconds of arrival times
   */
  RecentRequests(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Has requests kept for {@link #TIME} from now on; again, if they are.
   *
   * @throws InferenceException UNAVAILABLE if as many other models are watched as may be
   */
  synchronized void watch(String model) {
    if (!isWatched() || !watches.containsKey(model)) {
      if (watches.size() >= MAX_WATCHES) {
        throw InferenceException.unavailable(
            "model '%s': the requests of %d other models are watched, which is the most; try again in a minute"
                .formatted(model, MAX_WATCHES));
      }
      watches.put(model, new RequestWatch());
    }
    watches.get(model).renew(clock.getAsLong(), TIME);
  }

  /** Whether any requests are kept; forgets those of watches that have ended. */
  synchronized boolean isWatched() {
    long now = clock.getAsLong();
    watches.values().removeIf(watch -> watch.leftNanos(now) <= 0);
    return !watches.isEmpty();
  }

  /** What is kept of the requests of a model; nothing unless it is watched. */
  synchronized Kept kept(String model) {
    long now = clock.getAsLong();
    RequestWatch watch = isWatched() ? watches.get(model) : null;
    return watch == null
        ? new Kept(0, now, List.of(), List.of())
        : new Kept(watch.leftNanos(now), now, watch.slowest(now), watch.failed(now));
  }

  /** A sink that keeps a request for this model, if it is to be kept, before another one has it. */
  TraceSink before(String model, TraceSink other) {
    return (sampler, traces) -> {
      ended(model, traces);
      other.collected(sampler, traces);
    };
  }

  private synchronized void ended(String model, List<RequestTrace> traces) {
    RequestTrace first = traces.getFirst();
    List<Timestamp> timestamps = first.timestamps();
    if (timestamps.isEmpty()) { // settings have tensors traced alone
      return;
    }
    long now = clock.getAsLong();
    long nanos = now - RecentRequest.start(timestamps);
    for (String watched : List.of(ALL, model)) {
      RequestWatch watch = watches.get(watched);
      if (watch != null) {
        watch.ended(
            now, nanos, first.failure() != null, () -> RecentRequest.of(model, traces, now));
      }
    }
  }
}
