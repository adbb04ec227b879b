package io.nereid.java;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A request to a Java model. It and its tensors are valid until {@code infer} returns, and belong
 * to the thread that calls {@code infer}. Only the backend implements it, and tests of models.
 */
public interface Request {
  /** The client's id; empty if it sent none. */
  String id();

  /** Sequence, priority, timeout and parameters. */
  RequestOptions options();

  /** The parameters for the model, by name. */
  default Map<String, Parameter> parameters() {
    return options().parameters();
  }

  /** The number of rows; 1 if the model does not batch. */
  long rows();

  /** The input of that name; empty if it is optional and the request does not contain it. */
  Optional<Tensor> find(String name);

  /**
   * The input of that name.
   *
   * @throws InferenceException INTERNAL if the model declares none of that name, or the request
   *     lacks it since it is optional
   */
  Tensor input(String name);

  /** Whether the client asked for that output. */
  boolean wants(String output);

  /** Whether no client waits for the response any more. Any thread may ask. */
  boolean isCancelled();

  /** The time until the deadline of the request, not negative; empty if it has none. */
  Optional<Duration> remaining();
}
