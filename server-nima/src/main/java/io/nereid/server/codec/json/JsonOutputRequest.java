package io.nereid.server.codec.json;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.OutputRequest;
import io.nereid.server.codec.json.document.JsonValue;
import java.util.Optional;

/** Reads an element of a request's {@code outputs}. */
final class JsonOutputRequest {
  private static final String BINARY_DATA = "binary_data";
  private static final String CLASSIFICATION = "classification";

  private JsonOutputRequest() {}

  /** Checks that its parameters go together. */
  static void check(JsonValue output) {
    Optional<JsonValue> parameters = output.member("parameters").map(JsonValue::requireObject);
    if (parameters.flatMap(found -> found.member(JsonInputReader.REGION)).isEmpty()) {
      return;
    }
    if (parameters.get().member(CLASSIFICATION).isPresent()) {
      throw InferenceException.invalid(
          "Output can't set both 'shared_memory_region' and 'classification'");
    }
    if (parameters.get().member(BINARY_DATA).map(JsonValue::asBoolean).orElse(false)) {
      throw InferenceException.invalid(
          "Output can't set both 'shared_memory_region' and 'binary_data'");
    }
  }

  /** Reads its parameters; {@link #check} has passed. */
  static OutputRequest read(String name, JsonValue output) {
    Optional<JsonValue> parameters = output.member("parameters");
    if (parameters.isEmpty()) {
      return new OutputRequest(name, false, 0);
    }
    JsonValue given = parameters.get();
    if (given.member(JsonInputReader.REGION).isPresent()) {
      throw JsonInputReader.unknownRegion(given);
    }
    boolean binary = given.member(BINARY_DATA).map(JsonValue::asBoolean).orElse(false);
    long classes = given.member(CLASSIFICATION).map(JsonValue::asUnsignedLong).orElse(0L);
    return new OutputRequest(name, binary, classes < 0 ? Long.MAX_VALUE : classes);
  }
}
