package io.nereid.java;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;

/**
 * A model that is a Java class: public, with a public constructor without parameters. One object
 * serves all requests of a version, so {@link #infer} is called by many threads at the same time.
 *
 * <pre>{@code
 * public final class Doubler implements JavaModel {
 *   @Override
 *   public Response infer(Request request, Calls calls) {
 *     float[] values = TensorArrays.floats(request.input("x"));
 *     ...
 *     return Response.of(TensorArrays.of("y", values, 1, values.length));
 *   }
 * }
 * }</pre>
 *
 * <p>The context class loader of each call is that of the version.
 */
@FunctionalInterface
public interface JavaModel {
  /**
   * Answers a request. In a model that batches, inputs and outputs have a batch dimension, and all
   * of them as many rows as the request.
   *
   * @param request valid until this method returns
   * @param calls of other models, on behalf of the request; until this method returns
   * @return the outputs that the model declares; those that the request does not want may be left
   *     out
   * @throws InferenceException for a failure that the client sees as it is; any other exception is
   *     an INTERNAL failure of the request and is logged
   */
  Response infer(Request request, Calls calls) throws Exception;

  /**
   * Declares inputs, outputs and batch size, where the configuration has no inputs or no outputs.
   * Called on an object of its own, which is then closed without having been opened.
   *
   * @return {@code config}, completed by {@link ModelConfig#toBuilder}
   */
  default ModelConfig complete(ModelConfig config) throws Exception {
    return config;
  }

  /**
   * Prepares the model; the constructor should do nothing that takes long. Called once, before the
   * first request.
   *
   * @throws Exception if the model cannot be served: the load fails with its message
   */
  default void open(ModelContext context) throws Exception {}

  /**
   * Frees what the model holds, and ends the threads that it has started. Called once, after the
   * last request, also if {@link #open} has failed.
   */
  default void close() throws Exception {}
}
