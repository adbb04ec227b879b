package io.nereid.server.scheduling.ensemble;

import io.nereid.server.request.PendingRequest;
import java.util.OptionalLong;

/**
 * The models that ensembles are composed of, and the way of their steps to them: the part of the
 * engine that an ensemble uses. May be used by any thread.
 */
public interface ComposingModels {
  /**
   * The version that serves a step.
   *
   * @param version empty for the newest that is ready
   * @throws io.nereid.error.InferenceException NOT_FOUND or UNAVAILABLE
   */
  ComposingModel model(String name, OptionalLong version);

  /**
   * Admits a request: validates it and passes it to the model's scheduler. Takes the request; its
   * promise always gets an outcome, maybe before this method returns. Never blocks.
   *
   * @param model from {@link #model}, and entered
   */
  void admit(ComposingModel model, PendingRequest request);
}
