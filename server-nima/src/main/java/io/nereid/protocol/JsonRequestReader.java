package io.nereid.protocol;

import io.nereid.error.InferenceException;
import io.nereid.memory.BufferPool;
import io.nereid.memory.Lease;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the body of {@code POST .../infer}: JSON, then the bytes of the inputs that have {@code
 * binary_data_size}, in the order of the inputs. Checks in Triton's order and with its texts. What
 * only the model can tell, such as missing inputs, is left to the engine. From any thread.
 */
public final class JsonRequestReader {
  /** The default of {@code --http-max-input-size}. */
  public static final long DEFAULT_MAX_INPUT_SIZE = 67_108_864;

  private final BufferPool pool;
  private final long maxInputSize;

  /**
   * @param maxInputSize limits the JSON, and each tensor that comes out of it, in bytes
   */
  public JsonRequestReader(BufferPool pool, long maxInputSize) {
    this.pool = pool;
    this.maxInputSize = maxInputSize;
  }

  /**
   * Reads a request.
   *
   * @param body the whole body; taken
   * @param jsonSize how much of it is JSON, at most its size; the rest is binary data
   * @param model its name, for messages
   * @throws InferenceException INTERNAL for what is no JSON or of another JSON type,
   *     INVALID_ARGUMENT for most that means nothing, NOT_FOUND for an unknown memory region
   */
  public DecodedRequest read(Lease body, long jsonSize, String model) {
    try (var leases = new InputLeases(body, pool)) {
      return read(leases, jsonSize, model);
    }
  }

  private DecodedRequest read(InputLeases leases, long jsonSize, String model) {
    if (jsonSize > maxInputSize) {
      throw InferenceException.invalid(
          "request JSON size of %d bytes exceeds the maximum allowed input size of %d bytes. %s"
              .formatted(jsonSize, maxInputSize, JsonInputReader.RAISE_THE_LIMIT));
    }
    MemorySegment json = leases.body().asSlice(0, jsonSize);
    JsonValue request = JsonDocument.parse(json).root();
    String id = request.member("id").map(JsonValue::asString).orElse("");
    var parameters = new RequestParameters();
    request.member("parameters").ifPresent(parameters::read);
    List<Tensor> inputs = readInputs(request, id, leases, jsonSize, model);
    List<OutputRequest> outputs = readOutputs(request, id);
    return new DecodedRequest(
        id, inputs, outputs, parameters.options(), parameters.binaryDataOutput(), leases.take());
  }

  private List<Tensor> readInputs(
      JsonValue request, String id, InputLeases leases, long jsonSize, String model) {
    var reader = new JsonInputReader(leases, jsonSize, maxInputSize, model);
    var inputs = new ArrayList<Tensor>();
    for (JsonValue input : request.required("inputs").elements()) {
      inputs.add(reader.read(input.requireObject(), requestPrefix(id)));
    }
    reader.requireAllRead();
    return inputs;
  }

  private static List<OutputRequest> readOutputs(JsonValue request, String id) {
    var outputs = new ArrayList<OutputRequest>();
    Set<String> names = new HashSet<>();
    List<JsonValue> listed = request.member("outputs").map(JsonValue::elements).orElse(List.of());
    for (JsonValue output : listed) {
      JsonOutputRequest.check(output.requireObject());
      String name = output.required("name").asString();
      if (!names.add(name)) {
        throw InferenceException.invalid(
            "%soutput '%s' already exists in request".formatted(requestPrefix(id), name));
      }
      outputs.add(JsonOutputRequest.read(name, output));
    }
    return outputs;
  }

  private static String requestPrefix(String id) {
    return "[request id: %s] ".formatted(id.isEmpty() ? "<id_unknown>" : id);
  }
}
