package io.nereid.java;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The answer of a Java model to one request. The server copies the outputs when {@code infer} has
 * returned, so that their data may be arrays. Native memory is copied when an output is added: it
 * may be that of a called model's response, which is closed then. Used by one thread.
 */
public final class Response {
  private final List<Tensor> outputs = new ArrayList<>();
  private final Map<String, Parameter> parameters = new LinkedHashMap<>();
  private final Optional<InferenceException> failure;

  private Response(Optional<InferenceException> failure) {
    this.failure = failure;
  }

  /** A response with these outputs, under the names that the model declares. */
  public static Response of(Tensor... outputs) {
    var response = new Response(Optional.empty());
    List.of(outputs).forEach(response::output);
    return response;
  }

  /** A refusal of one request of a batch; the others are not affected. */
  public static Response failed(InferenceException failure) {
    return new Response(Optional.of(failure));
  }

  /** Adds an output. */
  public Response output(Tensor output) {
    outputs.add(output.data().isNative() ? copied(output) : output);
    return this;
  }

  private static Tensor copied(Tensor output) {
    long byteSize = output.byteSize();
    long[] array = new long[Math.toIntExact((byteSize + Long.BYTES - 1) / Long.BYTES)];
    MemorySegment copy = MemorySegment.ofArray(array).asSlice(0, byteSize);
    return new Tensor(
        output.name(), output.dataType(), output.shape(), copy.copyFrom(output.data()));
  }

  /** Adds a parameter. */
  public Response parameter(String name, Parameter value) {
    parameters.put(name, value);
    return this;
  }

  /** The outputs, in the order in which they were added. */
  public List<Tensor> outputs() {
    return List.copyOf(outputs);
  }

  /** The parameters by name. */
  public Map<String, Parameter> parameters() {
    return Map.copyOf(parameters);
  }

  /** Why the request is refused; empty if it is not. */
  public Optional<InferenceException> failure() {
    return failure;
  }
}
