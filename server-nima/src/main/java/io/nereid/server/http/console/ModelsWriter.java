package io.nereid.server.http.console;

import com.google.gson.stream.JsonWriter;
import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.model.control.ModelIndexEntry.State;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.json.control.JsonBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A writer of the list of models: the repository index, with what the loaded versions are. */
final class ModelsWriter {
  private ModelsWriter() {}

  /**
   * The body: an array with an object for each row of the index.
   *
   * @param models the versions that serve, and those that wait for their last requests
   */
  static byte[] write(List<ModelIndexEntry> index, Map<ModelKey, LoadedModel> models) {
    return JsonBody.of(json -> {
      json.beginArray();
      for (ModelIndexEntry row : index) {
        json.beginObject().name("name").value(row.name());
        if (row.version().isPresent()) {
          long version = row.version().getAsLong();
          json.name("version").value(Long.toString(version));
          LoadedModel loaded = models.get(new ModelKey(row.name(), version));
          if (loaded != null && row.state().equals(Optional.of(State.UNLOADING))) {
            json.name("inFlight").value(loaded.requests());
          } else if (loaded != null) {
            model(json, loaded);
          }
        }
        json.name("state").value(row.state().map(Enum::name).orElse("NOT LOADED"));
        json.name("reason").value(row.reason()).endObject();
      }
      json.endArray();
    });
  }

  private static void model(JsonWriter json, LoadedModel loaded) throws IOException {
    ModelConfig config = loaded.config();
    json.name("platform").value(loaded.platform());
    json.name("scheduling").value(scheduling(config.scheduling()));
    json.name("maxBatchSize").value(config.maxBatchSize());
    json.name("decoupled").value(config.decoupled());
    json.name("warning").value(loaded.warning());
  }

  private static String scheduling(SchedulingSettings settings) {
    return switch (settings) {
      case SchedulingSettings.Direct() -> "no batching";
      case BatchingSettings _ -> "dynamic batching";
      case SequenceSettings _ -> "sequences";
      case EnsembleSettings _ -> "ensemble";
    };
  }
}
