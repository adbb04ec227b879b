package io.nereid.engine.execution.batch;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was collected for the next response: outputs with their memory, and parameters. */
final class ResponseContent {
  /** Immutable lists while there is at most one element. */
  private List<Tensor> outputs = List.of();

  private List<Runnable> releases = List.of();
  private @Nullable Map<String, Parameter> parameters;

  List<Tensor> outputs() {
    return outputs;
  }

  /** Whether there is neither an output nor a parameter; there may be memory. */
  boolean isEmpty() {
    return outputs.isEmpty() && parameters == null;
  }

  boolean holds(String output) {
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i).name().equals(output)) {
        return true;
      }
    }
    return false;
  }

  /** Adds an output; {@code release} is run when the response is closed or dropped. */
  void add(Tensor output, Runnable release) {
    outputs = with(outputs, output);
    keep(release);
  }

  /** Removes an output, if there is one of that name; its memory is freed with the response. */
  void remove(String output) {
    List<Tensor> left = new ArrayList<>(outputs);
    left.removeIf(each -> each.name().equals(output));
    outputs = left;
  }

  /** Adds memory that is freed with the response but is no output of it. */
  void keep(Runnable release) {
    releases = with(releases, release);
  }

  /** The list with one more element; most responses have a single one. */
  private static <T> List<T> with(List<T> list, T element) {
    if (list.isEmpty()) {
      return List.of(element);
    }
    List<T> longer = list.size() == 1 ? new ArrayList<>(list) : list;
    longer.add(element);
    return longer;
  }

  void parameter(String name, Parameter value) {
    if (parameters == null) {
      parameters = new HashMap<>();
    }
    parameters.put(name, value);
  }

  /** The response to a request; it owns what was collected, which is empty now. */
  InferenceResponse take(InferenceRequest request) {
    var response =
        new InferenceResponse(
            request.model(),
            request.id(),
            parameters == null ? Map.of() : Map.copyOf(parameters),
            outputs,
            releases);
    clear();
    return response;
  }

  /** Takes what another has collected, which is empty then. */
  void takeFrom(ResponseContent other) {
    outputs = other.outputs;
    releases = other.releases;
    parameters = other.parameters;
    other.clear();
  }

  /** Drops outputs and parameters; the memory is kept until {@link #takeReleases}. */
  void keepMemoryOnly() {
    outputs = List.of();
    parameters = null;
  }

  /** Drops all of it; the caller releases the memory. */
  List<Runnable> takeReleases() {
    List<Runnable> dropped = releases;
    clear();
    return dropped;
  }

  private void clear() {
    outputs = List.of();
    releases = List.of();
    parameters = null;
  }
}
