package io.nereid.engine.scheduling.ensemble;

import io.nereid.engine.request.PendingRequest;

/** Admits the requests of steps: the part of the engine that ensembles use. Thread-safe. */
@FunctionalInterface
public interface StepAdmission {
  /**
   * Admits a request: validates it and passes it to the model's scheduler. Takes the request; its
   * promise always gets an outcome, maybe before this method returns. Never blocks.
   *
   * @param model entered
   */
  void admit(ComposingModel model, PendingRequest request);
}
