package io.nereid.server.scheduling.ensemble;

import io.nereid.config.EnsembleSettings;
import io.nereid.server.scheduling.ensemble.graph.EnsemblePlan;
import io.nereid.server.scheduling.ensemble.graph.EnsembleStep;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds decoupled steps of one request back while steps behind them wait for {@code
 * max_inflight_requests}, so that responses do not pile up in memory: the instance that has sent a
 * response waits here, on its own thread, before its model makes the next one. No other thread
 * waits, and none that those steps need: a step does not wait if one behind it runs the same model,
 * or an ensemble, which may, nor if it holds resources that one may want. It never waits for a
 * place of its own step, which it would have to give back itself.
 */
final class Pace {
  private static final System.Logger LOG = System.getLogger(Pace.class.getName());

  /** Models of several ensembles may wait for each other in a circle. */
  private static final long PATIENCE_NANOS = 300_000_000_000L;

  private static final int NANOS_PER_MILLI = 1_000_000;

  private final EnsemblePlan plan;
  private final List<ComposingModel> models;
  private final boolean limited;

  /** Responses that were sent and not handled yet. */
  private int coming;

  /** The steps of which requests wait for their limit. */
  private final BitSet crowded = new BitSet();

  /** Whether a wait has ended without what it was for: then there are no others. */
  private boolean inVain;

  /**
   * @param limited whether steps ever wait
   */
  Pace(EnsemblePlan plan, List<ComposingModel> models, boolean limited) {
    this.plan = plan;
    this.models = models;
    this.limited = limited;
  }

  /** A response that is not the last one is on its way to be handled. */
  void comes() {
    if (limited) {
      synchronized (this) {
        coming++;
      }
    }
  }

  /** It is handled. */
  void handled() {
    if (limited) {
      synchronized (this) {
        coming--;
        notifyAll();
      }
    }
  }

  /** Looks which steps wait, now that an event is handled. */
  void look(StepRequests requests) {
    if (limited) {
      synchronized (this) {
        crowded.clear();
        requests.addCrowded(crowded);
        notifyAll();
      }
    }
  }

  /** Waits until no step behind waits any more; by the instance that has run {@code step}. */
  void await(EnsembleStep step) {
    BitSet behind = limited ? behind(step) : null;
    if (behind != null && !await(behind, System.nanoTime() + PATIENCE_NANOS)) {
      LOG.log(
          Level.ERROR,
          "model ''{0}'' has waited 300 s for the steps behind it in an ensemble, and goes on",
          model(step).key().name());
    }
  }

  private synchronized boolean await(BitSet behind, long deadline) {
    while (!inVain && (crowded.intersects(behind) || coming > 0)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        inVain = true;
        return false;
      }
      try {
        wait(left / NANOS_PER_MILLI + 1);
      } catch (InterruptedException _) {
        // A model's library may leave one behind, and nobody else sends any.
      }
    }
    return true;
  }

  /** The steps behind one that may wait for them; null if it may not. */
  private @Nullable BitSet behind(EnsembleStep step) {
    if (isEnsemble(step) || model(step).holdsResources()) {
      return null; // who brings an ensemble's responses is somebody else's thread
    }
    var open = new ArrayDeque<>(step.targets());
    var behind = new BitSet();
    while (!open.isEmpty()) {
      for (EnsembleStep reader : plan.readers(open.remove())) {
        if (isEnsemble(reader) || model(reader).equals(model(step))) {
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

  private boolean isEnsemble(EnsembleStep step) {
    return model(step).config().scheduling() instanceof EnsembleSettings;
  }

  private ComposingModel model(EnsembleStep step) {
    return models.get(step.model());
  }
}
