package io.nereid.server.metrics.gpu;

import io.nereid.spi.Check;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whether the metrics of GPUs will be there. A driver that does not answer is a warning. */
public final class NvmlCheck {
  private static final String SUBJECT = "metrics of GPUs";
  private static final String CURE =
      "see whether nvidia-smi works, or start with --allow-gpu-metrics=false";
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private NvmlCheck() {}

  /** The state of this machine's NVML; empty if there is no such library. */
  public static Optional<Check> run() {
    return run(
        NvmlLibrary.NAME, Optional.ofNullable(System.getenv("CUDA_VISIBLE_DEVICES")), MAX_WAIT);
  }

  /**
   * The state of a library.
   *
   * @param maxWait how long it may take to answer; its calls go on behind that, on a daemon thread
   */
  static Optional<Check> run(String name, Optional<String> visible, Duration maxWait) {
    var check =
        new FutureTask<>(
            () -> NvmlLibrary.open(name).map(library -> check(name, library, visible)));
    Thread.ofPlatform().daemon().name("gpu check").start(check);
    try {
      return check.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      return Optional.of(unanswered(name, "within %d s".formatted(maxWait.toSeconds())));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.of(unanswered(name, "before the check was interrupted"));
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    }
  }

  private static Check unanswered(String name, String when) {
    return Check.warning(SUBJECT, "%s has not answered %s".formatted(name, when), CURE);
  }

  private static Check check(String name, NvmlLibrary library, Optional<String> visible) {
    try (NvmlGpus gpus = NvmlGpus.open(library, visible)) {
      List<String> uuids = gpus.uuids();
      return Check.ok(
          SUBJECT,
          uuids.isEmpty()
              ? "%s reports no visible GPU".formatted(name)
              : "%s reports %s".formatted(name, String.join(", ", uuids)));
    } catch (NvmlException failed) {
      return Check.warning(
          SUBJECT, "%s cannot be used: %s".formatted(name, failed.getMessage()), CURE);
    }
  }
}
