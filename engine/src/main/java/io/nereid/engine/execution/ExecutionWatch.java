package io.nereid.engine.execution;

import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.batch.ExecutionMeter;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The look-out for executions and detached requests of one model that take longer than the operator
 * expects. It ends none of them. Executions pay nothing for it: a thread looks at them now and
 * then.
 */
final class ExecutionWatch {
  private static final System.Logger LOG = System.getLogger(ExecutionWatch.class.getName());

  private final ExecutedModel model;

  /** The starts that the last look has seen. */
  private Map<Instance, Long> seen = Map.of();

  private volatile String overdue = "";

  ExecutionWatch(ExecutedModel model) {
    this.model = model;
  }

  /**
   * Looks which execution is overdue, and logs it if that has changed. An execution is found by the
   * second look that sees it. One thread at a time calls this.
   */
  void look(List<Instance> instances, long limitNanos) {
    Map<Instance, Long> now = new HashMap<>();
    String found = "";
    Thread thread = null;
    for (Instance instance : instances) {
      long since = instance.executingSince();
      if (since != ExecutionMeter.IDLE) {
        now.put(instance, since);
        boolean isSame = Long.valueOf(since).equals(seen.get(instance));
        if (found.isEmpty() && isSame && model.clock().getAsLong() - since >= limitNanos) {
          found = sentence("an execution", instance, limitNanos, "returned");
          thread = instance.executingThread();
        }
      }
      long detachedSince = instance.detached.oldestStart();
      if (found.isEmpty()
          && detachedSince != ExecutionMeter.IDLE
          && model.clock().getAsLong() - detachedSince >= limitNanos) {
        found = sentence("a detached request", instance, limitNanos, "ended it");
        thread = instance.detached.oldestThread();
      }
    }
    seen = now;
    if (!found.equals(overdue)) {
      if (found.isEmpty()) {
        LOG.log(
            Level.INFO, "model ''{0}'': no execution is overdue any more", model.config().name());
      } else {
        LOG.log(Level.WARNING, found, thread == null ? null : framesOf(thread));
      }
      overdue = found;
    }
  }

  /** What takes long; {@code outcome} is what the backend has not done. */
  private String sentence(String subject, Instance instance, long limitNanos, String outcome) {
    return "model '%s': %s of instance '%s' takes longer than %d s: backend '%s' has not %s"
        .formatted(
            model.config().name(),
            subject,
            instance.settings().name(),
            limitNanos / 1_000_000_000,
            model.config().backend(),
            outcome);
  }

  /** What a thread does, as the stack trace of what is logged. */
  private static Throwable framesOf(Thread thread) {
    var frames = new Throwable("the thread '%s' is at".formatted(thread.getName()));
    frames.setStackTrace(thread.getStackTrace());
    return frames;
  }

  /** Which execution is overdue, a sentence; empty if none. From any thread. */
  String overdue() {
    return overdue;
  }
}
