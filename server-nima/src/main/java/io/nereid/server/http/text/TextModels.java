package io.nereid.server.http.text;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.text.ServedTextModel;
import io.nereid.server.codec.json.text.TextTask;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The text models that serve, found anew when models have changed. Thread-safe. */
final class TextModels {
  private static final System.Logger LOG = System.getLogger(TextModels.class.getName());

  /**
   * What was found.
   *
   * @param in all models at that time
   */
  private record Found(Map<ModelId, ModelEntry> in, NavigableMap<String, ServedTextModel> byName) {}

  private final RequestAdmission engine;
  private volatile Found found = new Found(Map.of(), Collections.emptyNavigableMap());

  TextModels(RequestAdmission engine) {
    this.engine = engine;
  }

  /** Their newest versions, by name. */
  NavigableMap<String, ServedTextModel> all() {
    Map<ModelId, ModelEntry> now = engine.models();
    Found last = found;
    if (!last.in.equals(now)) { // mostly the same object
      NavigableMap<String, ServedTextModel> byName = new TreeMap<>();
      now.forEach((id, entry) ->
          entry
              .newestReady()
              .flatMap(TextModels::logged)
              .ifPresent(model -> byName.put(id.name(), model)));
      last = new Found(now, Collections.unmodifiableNavigableMap(byName));
      found = last;
    }
    return last.byName;
  }

  private static Optional<ServedTextModel> logged(LoadedModel model) {
    try {
      return ServedTextModel.of(model.config());
    } catch (InferenceException wrong) {
      LOG.log(Level.WARNING, "no text model: {0}", wrong.getMessage());
      return Optional.empty();
    }
  }

  /**
   * The text model of a version.
   *
   * @throws InferenceException UNSUPPORTED if it is none, or none of the tasks
   */
  ServedTextModel of(LoadedModel model, Set<TextTask> tasks) {
    ServedTextModel newest = all().get(model.key().name());
    ServedTextModel text =
        newest != null && newest.config().equals(model.config())
            ? newest
            : ServedTextModel.of(model.config())
                .orElseThrow(() ->
                    InferenceException.unsupported(
                        "model '%s' is no text model".formatted(model.key().name())));
    if (!tasks.contains(text.task())) {
      throw InferenceException.unsupported(
          "model '%s' is for %s, and the request is for %s"
              .formatted(text.name(), text.task(), text(tasks)));
    }
    return text;
  }

  /**
   * The name of the only model of some tasks.
   *
   * @throws InferenceException NOT_FOUND if there is none, INVALID_ARGUMENT if there are several
   */
  String only(Set<TextTask> tasks) {
    List<String> names =
        all().values().stream()
            .filter(model -> tasks.contains(model.task()))
            .map(ServedTextModel::name)
            .toList();
    return switch (names.size()) {
      case 0 -> throw InferenceException.notFound("there is no model for " + text(tasks));
      case 1 -> names.getFirst();
      default ->
          throw InferenceException.invalid(
              "the request names no model, and there are several for %s".formatted(text(tasks)));
    };
  }

  private static String text(Set<TextTask> tasks) {
    return String.join(" or ", tasks.stream().map(TextTask::toString).toList());
  }
}
