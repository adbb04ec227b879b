package io.nereid.server.codec.json.control;

import io.nereid.engine.memory.region.RegionStatus;
import java.util.List;

/**
 * A writer of the responses to {@code GET /v2/systemsharedmemory/.../status} and {@code GET
 * /v2/cudasharedmemory/.../status}.
 */
public final class RegionStatusWriter {
  private RegionStatusWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<RegionStatus> regions) {
    return JsonBody.of(json -> {
      json.beginArray();
      for (RegionStatus region : regions) {
        json.beginObject().name("name").value(region.name());
        switch (region) {
          case RegionStatus.SystemMemory(_, String key, long offset, _) ->
              json.name("key").value(key).name("offset").value(offset);
          case RegionStatus.CudaMemory(_, long deviceId, _) ->
              json.name("device_id").value(deviceId);
        }
        json.name("byte_size").value(region.byteSize()).endObject();
      }
      json.endArray();
    });
  }
}
