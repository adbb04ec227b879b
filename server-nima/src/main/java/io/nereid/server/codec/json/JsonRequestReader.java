package io.nereid.server.codec.json;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.InputLeases;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the body of {@code POST .../infer}: JSON, then the bytes of the inputs that have
 * {@code binary_data_size}, in the order of the inputs. Checks in Triton's order and with its
 * texts; the engine checks the request against its model. Thread-safe.
 */
public final class JsonRequestReader {
  /** The default of {@code --http-max-input-size}. */
  public static final long DEFAULT_MAX_INPUT_SIZE = 67_108_864;

  private static final String BINARY_DATA = "binary_data";
  private static final String CLASSIFICATION = "classification";

  private final long maxInputSize;
  private final SharedRegions regions;

  /**
   * @param maxInputSize the limit of the JSON, and of each tensor in it, in bytes
   * @param regions where inputs may be, and outputs may go
   */
  public JsonRequestReader(long maxInputSize, SharedRegions regions) {
    this.maxInputSize = maxInputSize;
    this.regions = regions;
  }

  /**
   * Reads a request.
   *
   * @param body the whole body; taken
   * @param jsonSize the bytes of JSON, at most the body's size; binary data follows
   * @param model its name, for messages
   * @param takesNull whether null is a missing value of the model: NaN, or an empty string
   * @param inputs allocates the inputs that are not used in place
   * @throws InferenceException INTERNAL for malformed JSON and JSON values of the wrong type,
   *     NOT_FOUND for an unknown shared memory region, else INVALID_ARGUMENT or UNSUPPORTED
   */
  public DecodedRequest read(
      Lease body, long jsonSize, String model, boolean takesNull, LeaseSource inputs) {
    try (var leases = new InputLeases(body, inputs)) {
      return read(leases, jsonSize, model, takesNull);
    }
  }

  /** The failure of JSON beyond the limit. */
  public static InferenceException tooLarge(long jsonSize, long maxInputSize) {
    return InferenceException.invalid(
        "request JSON size of %d bytes exceeds the maximum allowed input size of %d bytes. %s"
            .formatted(jsonSize, maxInputSize, JsonInputReader.RAISE_THE_LIMIT));
  }

  private DecodedRequest read(InputLeases leases, long jsonSize, String model, boolean takesNull) {
    if (jsonSize > maxInputSize) {
      throw tooLarge(jsonSize, maxInputSize);
    }
    MemorySegment json = leases.body().asSlice(0, jsonSize);
    // Long runs of numbers are checked as they are converted, which saves a pass over the text.
    // Errors of syntax precede errors of the request: if the request fails before all numbers are
    // checked, the whole text is checked and read again.
    JsonDocument document = JsonDocument.parseLeavingNumbers(json);
    try {
      return read(document, leases, jsonSize, model, takesNull);
    } catch (InferenceException refused) {
      if (!document.hasUnchecked()) {
        throw refused;
      }
    }
    leases.restart();
    return read(JsonDocument.parse(json), leases, jsonSize, model, takesNull);
  }

  private DecodedRequest read(
      JsonDocument document, InputLeases leases, long jsonSize, String model, boolean takesNull) {
    JsonValue request = document.root();
    String id = id(request.find("id"));
    var parameters = new RequestParameters();
    JsonValue given = request.find("parameters");
    if (given != null) {
      parameters.read(given);
    }
    var reader = new JsonInputReader(leases, regions, jsonSize, maxInputSize, model, takesNull);
    List<Tensor> inputs = readInputs(request, id, reader);
    List<OutputRequest> outputs = readOutputs(request, id, leases);
    document.requireAllChecked();
    return new DecodedRequest(
        id, inputs, outputs, parameters.options(), parameters.binaryDataOutput(), leases.take());
  }

  /** A request's id; empty if the client sent none. */
  static String id(@Nullable JsonValue id) {
    return id == null ? "" : id.asString("the id of the request", RequestLimits.MAX_ID);
  }

  private static List<Tensor> readInputs(JsonValue request, String id, JsonInputReader reader) {
    var inputs = new ArrayList<Tensor>();
    for (JsonValue input : elements(request.required("inputs"), "inputs")) {
      inputs.add(reader.read(input, id));
    }
    reader.requireAllRead();
    return inputs;
  }

  private List<OutputRequest> readOutputs(JsonValue request, String id, InputLeases leases) {
    JsonValue listed = request.find("outputs");
    if (listed == null) {
      return List.of();
    }
    var outputs = new ArrayList<OutputRequest>();
    Set<String> names = new HashSet<>();
    for (JsonValue output : elements(listed, "outputs")) {
      checkOutput(output);
      String name =
          output.required("name").asString("the name of an output", RequestLimits.MAX_NAME);
      if (!names.add(name)) {
        throw RequestErrors.duplicateOutput(id, name);
      }
      outputs.add(readOutput(name, output, leases));
    }
    return outputs;
  }

  private static List<JsonValue> elements(JsonValue tensors, String what) {
    return tensors.elements(RequestLimits.MAX_TENSORS, what);
  }

  private static void checkOutput(JsonValue output) {
    Optional<JsonValue> parameters = output.member("parameters");
    if (parameters.flatMap(given -> given.member(JsonInputReader.REGION)).isEmpty()) {
      return;
    }
    if (parameters.get().member(CLASSIFICATION).isPresent()) {
      throw InferenceException.invalid(
          "Output can't set both 'shared_memory_region' and 'classification'");
    }
    if (parameters
        .get()
        .member(BINARY_DATA)
        .map(value -> set(BINARY_DATA, value, JsonValue::asBoolean))
        .orElse(false)) {
      throw InferenceException.invalid(
          "Output can't set both 'shared_memory_region' and 'binary_data'");
    }
  }

  private OutputRequest readOutput(String name, JsonValue output, InputLeases leases) {
    Optional<JsonValue> parameters = output.member("parameters");
    if (parameters.isEmpty()) {
      return new OutputRequest(name, false, 0);
    }
    JsonValue given = parameters.get();
    if (given.member(JsonInputReader.REGION).isPresent()) {
      RegionSlice target = leases.keep(JsonInputReader.slice(given, regions));
      return new OutputRequest(name, false, 0, target);
    }
    boolean binary = given.member(BINARY_DATA).map(JsonValue::asBoolean).orElse(false);
    long classes =
        given
            .member(CLASSIFICATION)
            .map(value -> set(CLASSIFICATION, value, JsonValue::asUnsignedLong))
            .orElse(0L);
    return new OutputRequest(name, binary, classes < 0 ? Long.MAX_VALUE : classes);
  }

  /** The value of a parameter of an output, for which Triton has a text of its own. */
  private static <T> T set(String name, JsonValue value, Function<JsonValue, T> access) {
    try {
      return access.apply(value.withoutLabel());
    } catch (InferenceException mistyped) {
      throw InferenceException.malformed(
          "Unable to set '%s': %s".formatted(name, mistyped.getMessage()));
    }
  }
}
