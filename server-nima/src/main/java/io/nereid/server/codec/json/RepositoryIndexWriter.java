package io.nereid.server.codec.json;

import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import java.util.List;

/** A writer of the response to {@code POST /v2/repository/index}. */
public final class RepositoryIndexWriter {
  private static final int USUAL_SIZE = 128;

  private RepositoryIndexWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<ModelIndexEntry> index) {
    var json = new ByteSink(USUAL_SIZE * (index.size() + 1));
    json.put('[');
    String separator = "";
    for (ModelIndexEntry entry : index) {
      json.putAscii(separator);
      separator = ",";
      put(json, entry);
    }
    json.put(']');
    return json.toByteArray();
  }

  private static void put(ByteSink json, ModelIndexEntry entry) {
    json.putAscii("{\"name\":");
    JsonText.putString(json, entry.name());
    entry
        .version()
        .ifPresent(version -> {
          json.putAscii(",\"version\":\"");
          json.putLong(version);
          json.put('"');
        });
    entry
        .state()
        .ifPresent(state -> {
          json.putAscii(",\"state\":\"");
          json.putAscii(state.name());
          json.put('"');
        });
    if (!entry.reason().isEmpty()) {
      json.putAscii(",\"reason\":");
      JsonText.putString(json, entry.reason());
    }
    json.put('}');
  }
}
