package io.nereid.server.codec.protobuf;

import io.nereid.engine.memory.region.RegionSlice;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.InferParameter.ParameterChoiceCase;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A reader of the parameters of a tensor that is in a shared memory region. */
final class RegionParameters {
  private static final String REGION = "shared_memory_region";
  private static final String OFFSET = "shared_memory_offset";
  private static final String BYTE_SIZE = "shared_memory_byte_size";

  private RegionParameters() {}

  /** Whether a tensor with these parameters is in a region. */
  static boolean name(Map<String, InferParameter> parameters) {
    return parameters.containsKey(REGION);
  }

  /** The claimed size of a tensor in a region; 0 if there is none. */
  static long byteSize(Map<String, InferParameter> parameters) {
    InferParameter byteSize = parameters.get(BYTE_SIZE);
    return byteSize == null ? 0 : byteSize.getInt64Param();
  }

  /**
   * The part of a region that the parameters name, owned by the caller; null if they name none.
   *
   * @param tensor its name, for messages
   * @throws InferenceException with the first error
   */
  static @Nullable RegionSlice slice(
      String tensor, Map<String, InferParameter> parameters, SharedRegions regions) {
    InferParameter region = parameters.get(REGION);
    InferParameter offset = parameters.get(OFFSET);
    InferParameter byteSize = parameters.get(BYTE_SIZE);
    if (region == null) {
      requireAbsent(tensor, offset, OFFSET);
      requireAbsent(tensor, byteSize, BYTE_SIZE);
      return null;
    }
    requireKind(tensor, region, REGION, ParameterChoiceCase.STRING_PARAM, "string_param");
    if (offset != null) {
      requireKind(tensor, offset, OFFSET, ParameterChoiceCase.INT64_PARAM, "int64_param");
    }
    if (byteSize == null) {
      throw InferenceException.invalid(
          "'%s' must be specified along with '%s' parameter for tensor '%s'"
              .formatted(BYTE_SIZE, REGION, tensor));
    }
    requireKind(tensor, byteSize, BYTE_SIZE, ParameterChoiceCase.INT64_PARAM, "int64_param");
    return regions.slice(
        region.getStringParam(),
        offset == null ? 0 : offset.getInt64Param(),
        byteSize.getInt64Param());
  }

  private static void requireAbsent(
      String tensor, @Nullable InferParameter parameter, String name) {
    if (parameter != null) {
      throw InferenceException.invalid(
          "'%s' can not be specified without '%s' parameter for tensor '%s'"
              .formatted(name, REGION, tensor));
    }
  }

  private static void requireKind(
      String tensor,
      InferParameter parameter,
      String name,
      ParameterChoiceCase kind,
      String kindName) {
    if (parameter.getParameterChoiceCase() != kind) {
      throw InferenceException.invalid(
          "invalid value type for '%s' parameter for tensor '%s', expected %s."
              .formatted(name, tensor, kindName));
    }
  }
}
