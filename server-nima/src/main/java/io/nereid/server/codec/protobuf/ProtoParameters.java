package io.nereid.server.codec.protobuf;

import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.InferParameter.ParameterChoiceCase;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.HashMap;
import java.util.Map;

/**
 * The {@code parameters} of gRPC requests and responses. Checks the type of each reserved key, with
 * Triton's error texts ({@code infer_handler.cc}).
 */
final class ProtoParameters {
  static final String EMPTY_FINAL_RESPONSE = "triton_enable_empty_final_response";

  private ProtoParameters() {}

  static RequestOptions read(Map<String, InferParameter> parameters) {
    if (parameters.isEmpty()) {
      return RequestOptions.NONE;
    }
    SequenceId sequenceId = SequenceId.NONE;
    boolean start = false;
    boolean end = false;
    long priority = 0;
    long timeout = 0;
    Map<String, Parameter> others = new HashMap<>();
    for (var entry : parameters.entrySet()) {
      String key = entry.getKey();
      InferParameter value = entry.getValue();
      switch (key) {
        case "sequence_id" -> sequenceId = sequenceId(value);
        case "sequence_start" -> start = flag(key, value);
        case "sequence_end" -> end = flag(key, value);
        case "priority" -> priority = priority(value);
        case "timeout" -> timeout = timeout(value);
        case EMPTY_FINAL_RESPONSE -> flag(key, value); // read by streams only
        default -> others.put(key, other(key, value));
      }
    }
    return new RequestOptions(sequenceId, start, end, priority, timeout, others);
  }

  private static SequenceId sequenceId(InferParameter value) {
    return switch (value.getParameterChoiceCase()) {
      case INT64_PARAM -> new SequenceId.OfNumber(value.getInt64Param());
      case STRING_PARAM -> SequenceId.of(value.getStringParam());
      default -> throw wrongKind("sequence_id", "int64_param or string_param");
    };
  }

  private static boolean flag(String key, InferParameter value) {
    if (value.getParameterChoiceCase() != ParameterChoiceCase.BOOL_PARAM) {
      throw wrongKind(key, "bool_param");
    }
    return value.getBoolParam();
  }

  private static long priority(InferParameter value) {
    return switch (value.getParameterChoiceCase()) {
      case UINT64_PARAM -> atMostLong(value.getUint64Param());
      case INT64_PARAM -> {
        if (value.getInt64Param() < 0) {
          throw InferenceException.invalid("invalid value for 'priority', expected value >= 0.");
        }
        yield value.getInt64Param();
      }
      default -> throw wrongKind("priority", "int64_param or uint64_param");
    };
  }

  private static long timeout(InferParameter value) {
    if (value.getParameterChoiceCase() != ParameterChoiceCase.INT64_PARAM) {
      throw wrongKind("timeout", "int64_param");
    }
    return atMostLong(value.getInt64Param());
  }

  /** Triton reads the value as unsigned; 2^63 and more have the same effect as 2^63 - 1. */
  private static long atMostLong(long unsigned) {
    return unsigned < 0 ? Long.MAX_VALUE : unsigned;
  }

  private static Parameter other(String key, InferParameter value) {
    if (key.startsWith("triton_")) {
      throw InferenceException.invalid(
          "parameter keys starting with 'triton_' are reserved for Triton usage. Only the following"
              + " keys starting with 'triton_' are allowed: "
              + EMPTY_FINAL_RESPONSE);
    }
    return switch (value.getParameterChoiceCase()) {
      case BOOL_PARAM -> new Parameter.OfBoolean(value.getBoolParam());
      case INT64_PARAM -> new Parameter.OfLong(value.getInt64Param());
      case STRING_PARAM -> new Parameter.OfString(value.getStringParam());
      case DOUBLE_PARAM -> new Parameter.OfDouble(value.getDoubleParam());
      case UINT64_PARAM, PARAMETERCHOICE_NOT_SET ->
          throw InferenceException.invalid(
              ("invalid value type for '%s' parameter, expected int64_param, bool_param, or"
                      + " string_param.")
                  .formatted(key));
    };
  }

  private static InferenceException wrongKind(String key, String expected) {
    return InferenceException.invalid(
        "invalid value type for '%s' parameter, expected %s.".formatted(key, expected));
  }

  /** A parameter of a response. */
  static InferParameter write(Parameter parameter) {
    InferParameter.Builder value = InferParameter.newBuilder();
    return switch (parameter) {
      case Parameter.OfString(String text) -> value.setStringParam(text).build();
      case Parameter.OfLong(long number) -> value.setInt64Param(number).build();
      case Parameter.OfBoolean(boolean flag) -> value.setBoolParam(flag).build();
      case Parameter.OfDouble(double number) -> value.setDoubleParam(number).build();
    };
  }
}
