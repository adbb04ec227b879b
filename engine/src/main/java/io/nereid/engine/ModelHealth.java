package io.nereid.engine;

import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.ModelState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which models serve, at one moment.
 *
 * @param serving the number of versions that are ready and healthy
 * @param notReady the models and versions that neither serve nor were unloaded, each with its
 *     reason, as {@code model 'digits' version 2 is LOADING}; sorted, and without paths of this
 *     machine
 */
public record ModelHealth(int serving, List<String> notReady) {
  public ModelHealth {
    notReady = List.copyOf(notReady);
  }

  static ModelHealth of(ModelRegistry registry) {
    int serving = 0;
    List<String> notReady = new ArrayList<>();
    for (Map.Entry<ModelId, ModelEntry> model : new TreeMap<>(registry.snapshot()).entrySet()) {
      ModelEntry entry = model.getValue();
      if (!entry.reason().isEmpty()) {
        notReady.add(
            ModelRegistry.describe(model.getKey(), "has failed to load: " + entry.reason()));
      }
      for (Map.Entry<Long, ModelState> version : entry.versions().entrySet()) {
        var obstacle = ModelEntry.obstacle(version.getKey(), version.getValue());
        if (obstacle.isPresent()) {
          notReady.add(ModelRegistry.describe(model.getKey(), obstacle.get()));
        } else if (version.getValue() instanceof ModelState.Ready) {
          serving++;
        }
      }
    }
    return new ModelHealth(serving, notReady);
  }
}
