package io.nereid.engine.execution;

import io.nereid.config.ModelConfig;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The look-out for executions and detached requests of one model that take longer than the operator
 * expects. It ends none of them. Executions pay nothing for it: a thread looks at them now and
 * then.
 */
final class ExecutionWatch {
  private static final System.Logger LOG = System.getLogger(ExecutionWatch.class.getName());

  private final ModelConfig config;
  private final LongSupplier clock;

  /** The starts that the last look has seen. */
  private Map<InstanceRunner, Long> seen = Map.of();

  private volatile String overdue = "";

  ExecutionWatch(ModelConfig config, LongSupplier clock) {
    this.config = config;
    this.clock = clock;
  }

  /**
   * Looks which execution is overdue, and logs it if that has changed. An execution is found by the
   * second look that sees it. One thread at a time calls this.
   */
  void look(List<InstanceRunner> runners, long limitNanos) {
    Map<InstanceRunner, Long> now = new HashMap<>();
    String found = "";
    for (InstanceRunner runner : runners) {
      long since = runner.executingSince();
      if (since != ExecutionMeter.IDLE) {
        now.put(runner, since);
        boolean isSame = Long.valueOf(since).equals(seen.get(runner));
        if (found.isEmpty() && isSame && clock.getAsLong() - since >= limitNanos) {
          found = sentence(runner, limitNanos);
        }
      }
      long detachedSince = runner.detachedSince();
      if (found.isEmpty()
          && detachedSince != ExecutionMeter.IDLE
          && clock.getAsLong() - detachedSince >= limitNanos) {
        found = detachedSentence(runner, limitNanos);
      }
    }
    seen = now;
    if (!found.equals(overdue)) {
      if (found.isEmpty()) {
        LOG.log(Level.INFO, "model ''{0}'': no execution is overdue any more", config.name());
      } else {
        LOG.log(Level.WARNING, "{0}", found);
      }
      overdue = found;
    }
  }

  private String sentence(InstanceRunner runner, long limitNanos) {
    return ("model '%s': an execution of instance '%s' takes longer than %d s: backend '%s' has not"
            + " returned")
        .formatted(
            config.name(), runner.settings().name(), limitNanos / 1_000_000_000, config.backend());
  }

  private String detachedSentence(InstanceRunner runner, long limitNanos) {
    return ("model '%s': a detached request of instance '%s' takes longer than %d s: backend '%s'"
            + " has not ended it")
        .formatted(
            config.name(), runner.settings().name(), limitNanos / 1_000_000_000, config.backend());
  }

  /** Which execution is overdue, a sentence; empty if none. From any thread. */
  String overdue() {
    return overdue;
  }
}
