package io.nereid.engine.backend;

import io.nereid.engine.plugin.MissingClasses;
import io.nereid.engine.plugin.PluginContext;
import io.nereid.engine.plugin.ProviderSearch;
import io.nereid.engine.thread.BoundedCall;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a backend says of the machine, or of itself by not answering. */
final class BackendCheck {
  private BackendCheck() {}

  /**
   * Looks for classes that the backend lacks, then asks it, on a daemon thread, which is
   * interrupted if it does not return in time.
   */
  static List<Check> run(BackendProvider provider, BackendContext context, Duration maxWait) {
    List<Check> checks = new ArrayList<>(missingClasses(provider));
    checks.addAll(ask(provider, context, maxWait));
    return checks;
  }

  private static List<Check> missingClasses(BackendProvider provider) {
    NavigableSet<String> missing = MissingClasses.of(provider);
    if (missing.isEmpty()) {
      return List.of();
    }
    int more = missing.size() - 1;
    return List.of(
        Check.warning(
            "backend",
            "its jar refers to class %s%s, which no jar of its folder has"
                .formatted(missing.first(), more == 0 ? "" : " and %d more".formatted(more)),
            "add the jars that it needs to %s"
                .formatted(ProviderSearch.folder(provider).orElseThrow())));
  }

  private static List<Check> ask(
      BackendProvider provider, BackendContext context, Duration maxWait) {
    try {
      return BoundedCall.run(
          "check of " + context.name(),
          maxWait,
          () -> {
            try (var _ = new PluginContext(provider)) {
              return List.copyOf(provider.check(context));
            }
          },
          _ -> {});
    } catch (ExecutionException failed) {
      return broken(BackendCalls.reason(Objects.requireNonNullElse(failed.getCause(), failed)));
    } catch (TimeoutException late) {
      return unanswered("within %d s".formatted(maxWait.toSeconds()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return unanswered("before the check was interrupted");
    }
  }

  private static List<Check> unanswered(String when) {
    return List.of(
        Check.unavailable(
            "backend",
            "has not answered " + when,
            "see whether its device works, a GPU of NVIDIA with nvidia-smi"));
  }

  /** That it cannot be loaded, or has failed. */
  static List<Check> broken(@Nullable String message) {
    return List.of(
        Check.problem(
            "backend", String.valueOf(message), "repair its jars, or remove them from its folder"));
  }
}
