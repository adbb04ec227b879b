package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.request.PendingRequest;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The pending step requests of one request of an ensemble: those that were submitted to their
 * models, and those that wait for a permit of their step's {@link StepLimiter}. Used by one thread
 * at a time.
 */
final class StepRequests {
  private final List<StepLimiter> limiters;
  private final Set<StepRequest> running = new HashSet<>();
  private final Set<StepRequest> waiting = new HashSet<>();

  /** By step: how many requests wait. */
  private final int[] waitingCounts;

  private final BitSet waitingSteps = new BitSet();

  /**
   * @param limiters by step, shared by all requests of the ensemble
   */
  StepRequests(List<StepLimiter> limiters) {
    this.limiters = limiters;
    this.waitingCounts = new int[limiters.size()];
  }

  boolean isEmpty() {
    return running.isEmpty() && waiting.isEmpty();
  }

  /** The steps with requests that wait for a permit; changes with this object. */
  BitSet waitingSteps() {
    return waitingSteps;
  }

  /** Submits a request, or has it wait for {@link EnsembleRun.Event.Admitted}. */
  void begin(StepRequest request) {
    boolean acquired;
    try {
      waiting.add(request);
      acquired = limiter(request).acquire(request);
    } catch (Throwable noMemory) {
      waiting.remove(request);
      request.release();
      throw noMemory;
    }
    if (acquired) {
      waiting.remove(request);
      submit(request);
    } else {
      int step = request.step().index();
      waitingCounts[step]++;
      waitingSteps.set(step);
    }
  }

  /**
   * A request that waited has got a permit.
   *
   * @param wanted whether to submit it; otherwise the permit is released
   */
  void admitted(StepRequest request, boolean wanted) {
    waiting.remove(request);
    waitsNoLonger(request);
    if (wanted) {
      submit(request);
    } else {
      request.release();
      limiter(request).release();
    }
  }

  private void waitsNoLonger(StepRequest request) {
    int step = request.step().index();
    waitingCounts[step]--;
    waitingSteps.set(step, waitingCounts[step] > 0);
  }

  private void submit(StepRequest request) {
    PendingRequest pending;
    try {
      running.add(request);
      pending = request.pending();
    } catch (Throwable noMemory) {
      ended(request);
      request.release();
      throw noMemory;
    }
    request.model().admit(pending);
  }

  /** A request has got its outcome. */
  void ended(StepRequest request) {
    running.remove(request);
    limiter(request).release();
  }

  /** Ends the requests that wait, except those whose permit is on its way. */
  void withdraw() {
    waiting.removeIf(request -> {
      boolean withdrawn = limiter(request).withdraw(request);
      if (withdrawn) {
        waitsNoLonger(request);
        request.release();
      }
      return withdrawn;
    });
  }

  void cancel() {
    List.copyOf(running).forEach(StepRequest::cancel);
  }

  private StepLimiter limiter(StepRequest request) {
    return limiters.get(request.step().index());
  }
}
