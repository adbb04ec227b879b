package io.nereid.server.codec.json.control;

import com.google.gson.stream.JsonWriter;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A writer of the responses to {@code POST /v2/repository/index} and {@code GET /v2/models}. */
public final class RepositoryIndexWriter {
  private RepositoryIndexWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<ModelIndexEntry> index) {
    return JsonBody.of(json -> putRows(json, index));
  }

  /**
   * The body of the list of models: {@code models} has the names of those with a ready version, as
   * in KServe's server, and {@code versions} the rows of the index.
   */
  public static byte[] writeModels(List<ModelIndexEntry> known) {
    return JsonBody.of(json -> {
      json.beginObject().name("models").beginArray();
      String last = "";
      for (ModelIndexEntry entry : known) {
        if (entry.state().equals(Optional.of(State.READY)) && !entry.name().equals(last)) {
          last = entry.name();
          json.value(last);
        }
      }
      json.endArray().name("versions");
      putRows(json, known);
      json.endObject();
    });
  }

  private static void putRows(JsonWriter json, List<ModelIndexEntry> rows) throws IOException {
    json.beginArray();
    for (ModelIndexEntry row : rows) {
      json.beginObject().name("name").value(row.name());
      if (row.version().isPresent()) {
        json.name("version").value(Long.toString(row.version().getAsLong()));
      }
      if (row.state().isPresent()) {
        json.name("state").value(row.state().get().name());
      }
      if (!row.reason().isEmpty()) {
        json.name("reason").value(row.reason());
      }
      json.endObject();
    }
    json.endArray();
  }
}
