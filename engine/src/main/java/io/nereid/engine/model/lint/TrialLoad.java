package io.nereid.engine.model.lint;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.config.validation.ConfigSource;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.loading.ModelLoader;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import java.util.Optional;

/**
 * A load of a version as a server performs it, warm-up included, that is closed at once. It opens
 * one instance of each group on each of its devices.
 */
record TrialLoad(ModelConfigCompletion completion, BackendCatalog backends) {
  private static final long MAX_POOL_BYTES = 1L << 30;
  private static final int QUEUE_CAPACITY = 16;

  /**
   * Loads a version and closes it.
   *
   * @param polled its configuration with the server's defaults; not of an ensemble
   * @param completed the same, completed
   * @throws InferenceException for which it would not load
   */
  void run(ModelDirectory directory, ModelConfig polled, ModelConfig completed, long version) {
    ModelConfig.Builder config =
        polled.toBuilder()
            .clearInstanceGroup()
            .addAllInstanceGroup(completed.getInstanceGroupList());
    config.getInstanceGroupBuilderList().forEach(group -> group.setCount(1));
    try (BufferPool pool = new SlabPool(new ArenaAllocator(), MAX_POOL_BYTES);
        SystemClock clock = SystemClock.start()) {
      var settings =
          LoaderSettings.of(
              (model, _) -> {
                throw new IllegalStateException("%s is called".formatted(model.key()));
              },
              backends,
              pool,
              MAX_POOL_BYTES,
              QUEUE_CAPACITY,
              clock);
      new ModelLoader(settings, new ModelRegistry(), completion, /* loadRetries= */ 0)
          .load(
              new PolledModel(
                  new ModelId("", directory.name()),
                  directory,
                  Optional.empty(),
                  new PolledConfig(config.build(), ConfigSource.NO_FILE),
                  new PolledModel.Origin.Repository()),
              version)
          .close();
    }
  }
}
