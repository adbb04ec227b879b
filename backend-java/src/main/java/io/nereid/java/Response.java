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
import org.jspecify.annotations.Nullable;

/**
 * The answer of a Java model to one request. The server copies the outputs when {@code infer} has
 * returned, so that their data may be arrays. Native memory is copied when an output is added: it
 * may be that of a called model's response, which is closed then. Used by one thread. A null is an
 * INTERNAL {@link InferenceException}.
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
    for (Tensor output : required(outputs, "the list of outputs")) {
      var _ = response.output(output);
    }
    return response;
  }

  /** A refusal of one request of a batch; the others are not affected. */
  public static Response failed(InferenceException failure) {
    return new Response(Optional.of(required(failure, "the failure")));
  }

  private static <T> T required(@Nullable T value, String what) {
    if (value == null) {
      throw InferenceException.internal("%s of a response is null".formatted(what));
    }
    return value;
  }

  /** Adds an output. */
  public Response output(Tensor output) {
    Tensor added = required(output, "output %d".formatted(outputs.size() + 1));
    outputs.add(added.data().isNative() ? copied(added) : added);
    return this;
  }

  private static Tensor copied(Tensor output) {
    TensorArrays.requireOpen(output);
    long byteSize = output.byteSize();
    long[] array = new long[Math.toIntExact((byteSize + Long.BYTES - 1) / Long.BYTES)];
    MemorySegment copy = MemorySegment.ofArray(array).asSlice(0, byteSize);
    return new Tensor(
        output.name(), output.dataType(), output.shape(), copy.copyFrom(output.data()));
  }

  /** Adds a parameter. */
  public Response parameter(String name, Parameter value) {
    parameters.put(name, required(value, "parameter '%s'".formatted(name)));
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
