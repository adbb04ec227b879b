package io.nereid.client.engine;

import io.nereid.client.CallContext;
import io.nereid.client.InferRequest;
import io.nereid.client.RequestedOutput;
import io.nereid.client.Tensor;
import io.nereid.engine.ModelRequest;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Requests of the client as those of an engine, with the parameters as a server reads them. */
final class EngineRequests {
  private EngineRequests() {}

  /**
   * A request.
   *
   * @throws InferenceException INVALID_ARGUMENT for what a server would refuse
   * @throws UnsupportedOperationException with a sentence, for what an engine does not have
   */
  static ModelRequest of(InferRequest request, CallContext context) {
    List<io.nereid.tensor.Tensor> inputs = new ArrayList<>(request.inputs().size());
    request.inputs().forEach((name, tensor) -> inputs.add(input(name, tensor)));
    return new ModelRequest(
        request.model(),
        request.version().isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(Long.parseLong(request.version())),
        request.id(),
        inputs,
        request.outputs().stream().map(EngineRequests::output).toList(),
        options(request.parameters()),
        Optional.of(Duration.ofNanos(Math.max(1, context.nanosLeft()))));
  }

  private static io.nereid.tensor.Tensor input(String name, Tensor tensor) {
    if (tensor.region() != null) {
      throw noSharedMemory();
    }
    return new io.nereid.tensor.Tensor(
        name,
        DataType.valueOf(tensor.dataType().name()),
        Shape.of(tensor.shape()),
        MemorySegment.ofBuffer(tensor.unsafeData()));
  }

  private static String output(RequestedOutput output) {
    if (output.region() != null) {
      throw noSharedMemory();
    }
    if (output.classes() > 0) {
      throw new UnsupportedOperationException(
          "output '%s': an engine in this process gives values, a server makes classes of them"
              .formatted(output.name()));
    }
    return output.name();
  }

  private static UnsupportedOperationException noSharedMemory() {
    return new UnsupportedOperationException(
        "an engine in this process has no regions of shared memory: give it tensors with values");
  }

  private static RequestOptions options(Map<String, Object> parameters) {
    if (parameters.isEmpty()) {
      return RequestOptions.NONE;
    }
    SequenceId sequence = SequenceId.NONE;
    boolean start = false;
    boolean end = false;
    long priority = 0;
    long timeout = 0;
    Map<String, Parameter> others = new HashMap<>();
    for (Map.Entry<String, Object> each : parameters.entrySet()) {
      Object value = each.getValue();
      switch (each.getKey()) { // InferRequest has checked the types of those that it sets itself
        case "sequence_id" ->
            sequence =
                value instanceof Long id
                    ? new SequenceId.OfNumber(id)
                    : SequenceId.of(value.toString());
        case "sequence_start" -> start = (Boolean) value;
        case "sequence_end" -> end = (Boolean) value;
        case "priority" -> priority = (Long) value;
        case "timeout" -> timeout = (Long) value;
        case "triton_enable_empty_final_response" -> {} // the end of a stream says it
        default -> others.put(each.getKey(), parameter(value));
      }
    }
    return new RequestOptions(sequence, start, end, priority, timeout, others);
  }

  private static Parameter parameter(Object value) {
    return switch (value) {
      case Boolean flag -> new Parameter.OfBoolean(flag);
      case Long number -> new Parameter.OfLong(number);
      case Double number -> new Parameter.OfDouble(number);
      default -> new Parameter.OfString(value.toString());
    };
  }
}
