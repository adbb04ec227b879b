package io.nereid.server.codec.json;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import io.nereid.server.memory.region.RegionStatus;
import java.util.List;

/** A writer of the response to {@code GET /v2/systemsharedmemory/.../status}. */
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
      json.putAscii(",\"key\":");
      JsonText.putString(json, region.key());
      json.putAscii(",\"offset\":");
      json.putLong(region.offset());
      json.putAscii(",\"byte_size\":");
      json.putLong(region.byteSize());
      json.put('}');
    }
    json.put(']');
    return json.toByteArray();
  }
}
