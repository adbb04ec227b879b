package io.nereid.java;

import io.nereid.config.ModelConfig;
import java.util.List;

/**
 * A model as {@link JavaModel}, which gets the requests of a batch together: those that the
 * server's scheduler has put into one execution.
 */
public interface BatchJavaModel {
  /**
   * Answers the requests of a batch.
   *
   * @param requests at least one; valid until this method returns
   * @param calls of other models, on behalf of the request at that place
   * @return as many responses, in that order; {@link Response#failed} for one that is refused
   * @throws Exception as of {@link JavaModel#infer}, for all of them
   */
  List<Response> infer(List<Request> requests, List<Calls> calls) throws Exception;

  /** As {@link JavaModel#complete}. */
  default ModelConfig complete(ModelConfig config) throws Exception {
    return config;
  }

  /** As {@link JavaModel#open}. */
  default void open(ModelContext context) throws Exception {}

  /** As {@link JavaModel#close}. */
  default void close() throws Exception {}
}
