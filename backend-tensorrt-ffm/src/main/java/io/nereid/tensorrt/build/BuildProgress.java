package io.nereid.tensorrt.build;

import io.nereid.tensorrt.builder.ProgressListener;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far a build is: what TensorRT's progress monitor reports, as lines of the log. A phase
 * without a parent is one line when it starts; all that runs is one line in ten seconds.
 * Thread-safe, since several threads of TensorRT report.
 */
final class BuildProgress implements ProgressListener {
  private static final System.Logger LOG = System.getLogger(BuildProgress.class.getName());
  private static final long INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

  private final String model;
  private final BooleanSupplier cancelled;
  private final LongSupplier nanoTime;
  private final long started;
  private long logged;

  /** The phases that run, by name, outermost first, with the steps that are done of all. */
  private final Map<String, Steps> running = new LinkedHashMap<>();

  private record Steps(int done, int count) {}

  /**
   * @param cancelled whether the build is to end
   */
  BuildProgress(String model, BooleanSupplier cancelled, LongSupplier nanoTime) {
    this.model = model;
    this.cancelled = cancelled;
    this.nanoTime = nanoTime;
    this.started = nanoTime.getAsLong();
    this.logged = started;
  }

  @Override
  public synchronized void phaseStarted(String phase, @Nullable String parent, int steps) {
    running.put(phase, new Steps(0, steps));
    if (parent == null) {
      log();
    }
  }

  @Override
  public synchronized boolean stepDone(String phase, int step) {
    running.computeIfPresent(phase, (_, steps) -> new Steps(step + 1, steps.count()));
    if (nanoTime.getAsLong() - logged >= INTERVAL_NANOS) {
      log();
    }
    return !cancelled.getAsBoolean();
  }

  @Override
  public synchronized void phaseFinished(String phase) {
    running.remove(phase);
  }

  private void log() {
    logged = nanoTime.getAsLong();
    LOG.log(
        Level.INFO,
        "building the plan of model ''{0}'': {1} ({2})",
        model,
        running.entrySet().stream()
            .map(phase ->
                "%s %d/%d"
                    .formatted(phase.getKey(), phase.getValue().done(), phase.getValue().count()))
            .collect(Collectors.joining(", ")),
        seconds());
  }

  /** The time since the build started, such as {@code 12.3 s}. */
  String seconds() {
    return String.format(Locale.ROOT, "%.1f s", (nanoTime.getAsLong() - started) / 1e9);
  }
}
