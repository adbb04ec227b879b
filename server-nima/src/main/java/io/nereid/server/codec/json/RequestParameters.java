package io.nereid.server.codec.json;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonValue;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A reader of a request's {@code parameters}. */
final class RequestParameters {
  private Map<String, Parameter> others = Map.of();
  private SequenceId sequenceId = SequenceId.NONE;
  private boolean sequenceStart;
  private boolean sequenceEnd;
  private long priority;
  private long timeoutMicros;
  private boolean binaryDataOutput;

  /** The characters of names and texts. */
  private int size;

  void read(JsonValue parameters) {
    if (!parameters.isObject()) {
      throw InferenceException.malformed(
          "failed to get request params.: attempt to get members for non-object");
    }
    Set<String> names = new HashSet<>();
    for (JsonValue.Member member :
        parameters.members(RequestLimits.MAX_PARAMETERS, "parameters", RequestLimits.MAX_NAME)) {
      if (names.add(member.name())) { // the first of several members of one name is used
        read(member.name(), member.value());
      }
    }
  }

  RequestOptions options() {
    return new RequestOptions(
        sequenceId, sequenceStart, sequenceEnd, priority, timeoutMicros, others);
  }

  boolean binaryDataOutput() {
    return binaryDataOutput;
  }

  private void read(String name, JsonValue value) {
    switch (name) {
      case "sequence_id" -> sequenceId = sequenceId(value);
      case "sequence_start" -> sequenceStart = value.asBoolean();
      case "sequence_end" -> sequenceEnd = value.asBoolean();
      case "priority" -> priority = atMostLong(value.asUnsignedLong());
      case "timeout" -> timeoutMicros = atMostLong(value.asUnsignedLong());
      case "binary_data_output" -> binaryDataOutput = value.asBoolean();
      default -> {
        if (name.startsWith("triton_")) {
          throw InferenceException.invalid(
              "parameter keys starting with 'triton_' are reserved for Triton usage and should not"
                  + " be specified.");
        }
        if (others.isEmpty()) {
          others = new LinkedHashMap<>();
        }
        others.put(name, parameter(name, value));
      }
    }
  }

  private static SequenceId sequenceId(JsonValue value) {
    if (value.isUnsignedLong()) {
      return new SequenceId.OfNumber(value.asUnsignedLong());
    }
    return SequenceId.of(value.asString("the sequence_id", RequestLimits.MAX_NAME));
  }

  /** Limits an unsigned number to 2^63 - 1: no timeout or priority is larger in practice. */
  private static long atMostLong(long unsigned) {
    return unsigned < 0 ? Long.MAX_VALUE : unsigned;
  }

  /** A parameter for the model, counted with those before it. */
  Parameter parameter(String name, JsonValue value) {
    count(name);
    if (value.isString()) {
      String text = value.asString("the value of a parameter", RequestLimits.MAX_PARAMETER_BYTES);
      count(text);
      return new Parameter.OfString(text);
    }
    if (value.isLong()) {
      return new Parameter.OfLong(value.asLong());
    }
    if (value.isBoolean()) {
      return new Parameter.OfBoolean(value.asBoolean());
    }
    if (value.isNumber()) {
      return new Parameter.OfDouble(value.asDouble());
    }
    throw InferenceException.invalid(wrongType(name));
  }

  static String wrongType(String name) {
    return "parameter '%s' has invalid type. It should be either 'int', 'bool', or 'string'."
        .formatted(name);
  }

  private void count(String text) {
    size += text.length();
    if (size > RequestLimits.MAX_PARAMETER_BYTES) {
      throw RequestLimits.tooMany("bytes of parameters", RequestLimits.MAX_PARAMETER_BYTES);
    }
  }
}
