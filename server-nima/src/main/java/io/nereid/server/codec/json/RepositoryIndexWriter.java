package io.nereid.server.codec.json;

import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;
import java.util.List;
import java.util.Optional;

/** A writer of the responses to {@code POST /v2/repository/index} and {@code GET /v2/models}. */
public final class RepositoryIndexWriter {
  private static final int USUAL_SIZE = 128;

  private RepositoryIndexWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<ModelIndexEntry> index) {
    var json = new ByteSink(USUAL_SIZE * (index.size() + 1));
    putRows(json, index);
    return json.toByteArray();
  }

  /**
   * The body of the list of models: {@code models} has the names of those with a ready version, as
   * in KServe's server, and {@code versions} the rows of the index.
   */
  public static byte[] writeModels(List<ModelIndexEntry> known) {
    var json = new ByteSink(USUAL_SIZE * (known.size() + 1));
    json.putAscii("{\"models\":[");
    String last = "";
    for (ModelIndexEntry entry : known) {
      if (entry.state().equals(Optional.of(State.READY)) && !entry.name().equals(last)) {
        json.putAscii(last.isEmpty() ? "" : ",");
        last = entry.name();
        JsonText.putString(json, last);
      }
    }
    json.putAscii("],\"versions\":");
    putRows(json, known);
    json.put('}');
    return json.toByteArray();
  }

  private static void putRows(ByteSink json, List<ModelIndexEntry> rows) {
    json.put('[');
    String separator = "";
    for (ModelIndexEntry entry : rows) {
      json.putAscii(separator);
      separator = ",";
      put(json, entry);
    }
    json.put(']');
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
