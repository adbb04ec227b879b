package io.nereid.server.codec.json.control;

import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import java.lang.foreign.MemorySegment;
import java.util.Base64;

/**
 * A reader of the bodies that register shared memory regions. Texts and order of checks are
 * Triton's. Bodies are borrowed off-heap memory. Thread-safe.
 */
public final class RegionRequestReader {
  /**
   * What is to be registered as a system region.
   *
   * @param key the name of a shared memory object
   * @param offset unsigned, 0 if the request has none
   * @param byteSize unsigned
   */
  public record SystemRegion(String key, long offset, long byteSize) {}

  /**
   * What is to be registered as a CUDA region.
   *
   * @param rawHandle of the size of a {@code cudaIpcMemHandle_t}
   * @param deviceId unsigned
   * @param byteSize unsigned
   */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  public record CudaRegion(byte[] rawHandle, long deviceId, long byteSize) {}

  private RegionRequestReader() {}

  /**
   * Reads the request for a system region.
   *
   * @throws InferenceException INTERNAL for malformed JSON and values of the wrong type, else
   *     INVALID_ARGUMENT
   */
  public static SystemRegion system(MemorySegment body) {
    JsonValue request = JsonDocument.parse(body).root();
    String key = present(request, "key").asString("the key of a region", RequestLimits.MAX_NAME);
    JsonValue offset = request.find("offset");
    long start = offset == null ? 0 : offset.withoutLabel().asUnsignedLong();
    return new SystemRegion(key, start, present(request, "byte_size").asUnsignedLong());
  }

  /**
   * Reads the request for a CUDA region.
   *
   * @throws InferenceException INTERNAL for malformed JSON and values that are missing or of the
   *     wrong type, else INVALID_ARGUMENT
   */
  public static CudaRegion cuda(MemorySegment body) {
    JsonValue request = JsonDocument.parse(body).root();
    String base64 =
        required(present(request, "raw_handle"), "b64")
            .asString("raw_handle", RequestLimits.MAX_NAME);
    long byteSize = required(request, "byte_size").asUnsignedLong();
    long deviceId = required(request, "device_id").asUnsignedLong();
    byte[] rawHandle = decoded(base64);
    if (rawHandle.length != SharedRegions.CUDA_HANDLE_SIZE) {
      throw InferenceException.invalid(
          "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
    }
    return new CudaRegion(rawHandle, deviceId, byteSize);
  }

  private static JsonValue present(JsonValue request, String name) {
    return request
        .member(name)
        .orElseThrow(() ->
            InferenceException.invalid(
                "Shared memory register request has no '%s' field".formatted(name)))
        .withoutLabel();
  }

  private static JsonValue required(JsonValue object, String name) {
    return object
        .member(name)
        .orElseThrow(() ->
            InferenceException.malformed(
                "attempt to access non-existing object member '%s'".formatted(name)))
        .withoutLabel();
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64.replace("\r", "").replace("\n", ""));
    } catch (IllegalArgumentException invalid) {
      return new byte[0]; // no handle, as its size tells
    }
  }
}
