package io.nereid.server.codec.json.control;

import io.nereid.protocol.inference.RepositoryIndexResponse.ModelIndex;
import java.util.List;

/** A writer of the responses to {@code POST /v2/repository/index} and {@code GET /v2/models}. */
public final class RepositoryIndexWriter {
  private static final String READY = "READY";

  private RepositoryIndexWriter() {}

  /** The body: an array of objects, members in the protocol's order. */
  public static byte[] write(List<ModelIndex> index) {
    return JsonBody.of(json -> MessageJson.putBrief(json, index));
  }

  /**
   * The body of the list of models: {@code models} has the names of those with a ready version, as
   * in KServe's server, and {@code versions} the rows of the index.
   */
  public static byte[] writeModels(List<ModelIndex> known) {
    return JsonBody.of(json -> {
      json.beginObject().name("models").beginArray();
      String last = "";
      for (ModelIndex row : known) {
        if (row.getState().equals(READY) && !row.getName().equals(last)) {
          last = row.getName();
          json.value(last);
        }
      }
      json.endArray().name("versions");
      MessageJson.putBrief(json, known);
      json.endObject();
    });
  }
}
