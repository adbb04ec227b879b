package io.nereid.ensemble;

import io.nereid.config.EnsembleSettings;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;

/**
 * Holds decoupled steps of one request back while its other steps wait for {@code
 * max_inflight_requests}, so that responses do not pile up in memory: the instance that has sent a
 * response waits here, on its own thread, before its model makes the next one. No other thread
 * waits, and none that the steps in front of it need: a step does not wait if one behind it runs
 * the same model, or an ensemble, which may, nor if it holds resources that one may want.
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

  private boolean crowded;

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

  /** Whether steps wait, now that an event is handled. */
  void crowded(boolean nowCrowded) {
    if (limited) {
      synchronized (this) {
        crowded = nowCrowded;
        notifyAll();
      }
    }
  }

  /** Waits until no step waits any more; by the instance that has run {@code step}. */
  void await(EnsembleStep step) {
    if (!limited || !mayWait(step)) {
      return;
    }
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    try {
      if (!await(deadline)) {
        LOG.log(
            Level.ERROR,
            "model ''{0}'' has waited 300 s for the steps behind it in an ensemble, and goes on",
            model(step).key().name());
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean await(long deadline) throws InterruptedException {
    while (crowded || coming > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / NANOS_PER_MILLI + 1);
    }
    return true;
  }

  private boolean mayWait(EnsembleStep step) {
    if (isEnsemble(step) || model(step).holdsResources()) {
      return false; // who brings an ensemble's responses is somebody else's thread
    }
    var open = new ArrayDeque<>(step.targets());
    var behind = new BitSet();
    while (!open.isEmpty()) {
      for (EnsembleStep reader : plan.readers(open.remove())) {
        if (isEnsemble(reader) || model(reader).equals(model(step))) {
          return false;
        }
        if (!behind.get(reader.index())) {
          behind.set(reader.index());
          open.addAll(reader.targets());
        }
      }
    }
    return true;
  }

  private boolean isEnsemble(EnsembleStep step) {
    return model(step).config().scheduling() instanceof EnsembleSettings;
  }

  private ComposingModel model(EnsembleStep step) {
    return models.get(step.model());
  }
}
