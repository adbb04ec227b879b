package io.nereid.server.codec.json;

import io.nereid.engine.memory.region.RegionStatus;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import java.util.List;

/**
 * A writer of the responses to {@code GET /v2/systemsharedmemory/.../status} and {@code GET
 * /v2/cudasharedmemory/.../status}.
 */
public final class RegionStatusWriter {
  private static final int USUAL_SIZE = 96;

  private RegionStatusWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<RegionStatus> regions) {
    var json = new ByteSink(USUAL_SIZE * (regions.size() + 1));
    json.put('[');
    String separator = "";
    for (RegionStatus region : regions) {
      json.putAscii(separator);
      separator = ",";
      json.putAscii("{\"name\":");
      JsonText.putString(json, region.name());
      switch (region) {
        case RegionStatus.SystemMemory(_, String key, long offset, _) -> {
          json.putAscii(",\"key\":");
          JsonText.putString(json, key);
          json.putAscii(",\"offset\":");
          json.putLong(offset);
        }
        case RegionStatus.CudaMemory(_, long deviceId, _) -> {
          json.putAscii(",\"device_id\":");
          json.putLong(deviceId);
        }
      }
      json.putAscii(",\"byte_size\":");
      json.putLong(region.byteSize());
      json.put('}');
    }
    json.put(']');
    return json.toByteArray();
  }
}
