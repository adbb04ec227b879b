package io.nereid.server.scheduling.ensemble;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The steps' requests of one request of an ensemble that have begun and not ended: those that their
 * models have, and those that wait until their step's limit lets them start.
 */
final class StepRequests {
  private final List<StepLimiter> limiters;
  private final Set<StepRequest> running = new HashSet<>();
  private final Set<StepRequest> waiting = new HashSet<>();

  /**
   * @param limiters by step, shared by all requests of the ensemble
   */
  StepRequests(List<StepLimiter> limiters) {
    this.limiters = limiters;
  }

  boolean isEmpty() {
    return running.isEmpty() && waiting.isEmpty();
  }

  /** Adds the steps of which requests wait for their limit. */
  void addCrowded(BitSet steps) {
    waiting.forEach(request -> steps.set(request.step().index()));
  }

  /** Starts a request, or has it wait for {@link RunEvent.Admitted}. */
  void begin(StepRequest request) {
    if (limiter(request).admit(request)) {
      submit(request);
    } else {
      waiting.add(request);
    }
  }

  /**
   * A request that waited has got a place.
   *
   * @param wanted whether it is still to start; otherwise the place goes to the next
   */
  void admitted(StepRequest request, boolean wanted) {
    waiting.remove(request);
    if (wanted) {
      submit(request);
    } else {
      request.release();
      limiter(request).release();
    }
  }

  private void submit(StepRequest request) {
    running.add(request);
    request.submit();
  }

  /** The last word of a request's model has come. */
  void ended(StepRequest request) {
    running.remove(request);
    limiter(request).release();
  }

  /** Ends those that wait, but for those whose place is just on its way. */
  void withdraw() {
    waiting.removeIf(request -> {
      boolean withdrawn = limiter(request).withdraw(request);
      if (withdrawn) {
        request.release();
      }
      return withdrawn;
    });
  }

  /** Calls off those that run. */
  void cancel() {
    List.copyOf(running).forEach(StepRequest::cancel);
  }

  private StepLimiter limiter(StepRequest request) {
    return limiters.get(request.step().index());
  }
}
