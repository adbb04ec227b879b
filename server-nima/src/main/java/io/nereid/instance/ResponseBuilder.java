package io.nereid.instance;

import io.nereid.error.InferenceException;
import io.nereid.exchange.InferenceResponse;
import io.nereid.exchange.PendingRequest;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an execution has collected for one request so far. */
final class ResponseBuilder {
  private final PendingRequest request;
  private final List<Tensor> outputs = new ArrayList<>(2);
  private final List<Runnable> releases = new ArrayList<>(2);
  private @Nullable Map<String, Parameter> parameters;
  private boolean ended;
  private @Nullable InferenceException failure;
  private @Nullable InferenceResponse response;

  ResponseBuilder(PendingRequest request) {
    this.request = request;
  }

  boolean wants(String output) {
    return !ended && request.request().outputs().contains(output);
  }

  long rows() {
    return request.rows();
  }

  /** Adds an output; {@code release} is run when the response is closed, or dropped. */
  void add(Tensor output, Runnable release) {
    outputs.add(output);
    releases.add(release);
  }

  void parameter(String name, Parameter value) {
    if (parameters == null) {
      parameters = new HashMap<>();
    }
    parameters.put(name, value);
  }

  /** No more will come. What is collected is the answer, to be delivered with the others. */
  void end() {
    if (!ended) {
      ended = true;
      response =
          new InferenceResponse(
              request.request().model(),
              request.request().id(),
              parameters == null ? Map.of() : Map.copyOf(parameters),
              outputs,
              releases);
    }
  }

  /** The request has failed; what is collected is dropped. */
  void fail(InferenceException reason) {
    if (!ended) {
      ended = true;
      failure = reason;
      releases.forEach(Runnable::run);
    }
  }

  /**
   * Gives the inputs back, then answers: a client that has its answer finds the memory free again.
   */
  void deliver() {
    request.close();
    if (failure != null) {
      request.promise().fail(failure);
    } else if (response != null) {
      request.promise().answer(response);
    } else {
      throw new IllegalStateException("delivered before the end");
    }
  }
}
