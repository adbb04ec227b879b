package io.nereid.engine.scheduling.ensemble;

import io.nereid.config.EnsembleSettings;
import io.nereid.engine.call.CalledModel;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleStep;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The back-pressure on the decoupled steps of one request while steps behind them wait for {@code
 * max_inflight_requests}, so that responses do not pile up in memory. The instance that has sent a
 * response blocks here, on its own thread, before its model makes the next one.
 *
 * <p>No other thread blocks, and none that those steps need. A step does not block if a step behind
 * it runs the same model, or an ensemble or another model that calls models, which may run it, or
 * if the instance holds resources that one of them may need. A step never blocks for a permit of
 * its own step, which it would have to release itself.
 */
final class BackPressure {
  private static final System.Logger LOG = System.getLogger(BackPressure.class.getName());

  /** The limit of a wait: models of several ensembles may wait for each other in a cycle. */
  private static final long MAX_WAIT_NANOS = 300_000_000_000L;

  private static final int NANOS_PER_MILLI = 1_000_000;

  /** The id of the request, for the log. */
  private final String requestId;

  private final EnsemblePlan plan;
  private final List<CalledModel> models;
  private final boolean limited;

  /** Responses that were sent and not handled yet. */
  private int unhandled;

  /** The steps with requests that wait for a permit. */
  private final BitSet waiting = new BitSet();

  /** Whether a wait has timed out; then no other begins. */
  private boolean timedOut;

  /**
   * @param limited whether steps ever wait
   */
  BackPressure(String requestId, EnsemblePlan plan, List<CalledModel> models, boolean limited) {
    this.requestId = requestId;
    this.plan = plan;
    this.models = models;
    this.limited = limited;
  }

  /** A response that is not the last one was sent, and will be handled. */
  void sent() {
    if (limited) {
      synchronized (this) {
        unhandled++;
      }
    }
  }

  /** A response that was sent is handled. */
  void handled() {
    if (limited) {
      synchronized (this) {
        unhandled--;
        notifyAll();
      }
    }
  }

  /** Updates the waiting steps after an event. */
  void update(BitSet waitingSteps) {
    if (limited) {
      synchronized (this) {
        waiting.clear();
        waiting.or(waitingSteps);
        notifyAll();
      }
    }
  }

  /** Blocks while steps behind {@code step} wait; called by the instance that runs it. */
  void await(EnsembleStep step) {
    BitSet behind = limited ? behind(step) : null;
    if (behind != null && !await(behind, System.nanoTime() + MAX_WAIT_NANOS)) {
      LOG.log(
          Level.ERROR,
          "{0}model ''{1}'' has waited 300 s for the steps behind it in an ensemble, and continues",
          RequestErrors.prefix(requestId),
          model(step).key().name());
    }
  }

  private synchronized boolean await(BitSet behind, long deadline) {
    while (!timedOut && (waiting.intersects(behind) || unhandled > 0)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        timedOut = true;
        return false;
      }
      try {
        wait(left / NANOS_PER_MILLI + 1);
      } catch (InterruptedException _) {
        // Only a model's library can have caused it.
      }
    }
    return true;
  }

  /** The steps behind one that may block for them; null if it may not. */
  private @Nullable BitSet behind(EnsembleStep step) {
    if (isEnsemble(step) || model(step).holdsResources()) {
      return null; // responses of an ensemble come on threads of its steps
    }
    var open = new ArrayDeque<>(step.targets());
    var behind = new BitSet();
    while (!open.isEmpty()) {
      for (EnsembleStep reader : plan.readers(open.remove())) {
        if (callsModels(reader) || model(reader).equals(model(step))) {
          return null;
        }
        if (!behind.get(reader.index())) {
          behind.set(reader.index());
          open.addAll(reader.targets());
        }
      }
    }
    return behind;
  }

  /** Whether a step's model may need the instance that would wait. */
  private boolean callsModels(EnsembleStep step) {
    return isEnsemble(step) || !model(step).config().calls().isEmpty();
  }

  private boolean isEnsemble(EnsembleStep step) {
    return model(step).config().scheduling() instanceof EnsembleSettings;
  }

  private CalledModel model(EnsembleStep step) {
    return models.get(step.model());
  }
}
