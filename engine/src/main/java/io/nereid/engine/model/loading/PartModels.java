package io.nereid.engine.model.loading;

import io.nereid.config.ModelConfig;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PartConfig;
import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The models that a version has loaded as parts of it. They are in no registry: the version alone
 * finds and calls them, and they end with it. Thread-safe; loaded by the thread that loads the
 * version.
 */
final class PartModels implements AutoCloseable {
  private final PolledModel whole;
  private final Function<PolledModel, LoadedModel> loader;
  private final List<LoadedModel> loaded = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  /**
   * @param whole the model that they are parts of
   */
  PartModels(PolledModel whole, Function<PolledModel, LoadedModel> loader) {
    this.whole = whole;
    this.loader = loader;
  }

  /**
   * Loads a part; see {@link io.nereid.spi.OwnCalls#loadPart}.
   *
   * @return its completed configuration, with the name by which it is called
   */
  ModelConfig load(ModelConfig part) {
    String name = whole.name() + "/" + part.name();
    if (ended || find(name) != null) {
      throw new IllegalStateException(
          ended
              ? "part '%s' is loaded by Backend.load only".formatted(name)
              : "there is a part '%s' already".formatted(name));
    }
    var directory = new ModelDirectory(whole.directory().path(), name, whole.directory().isBare());
    var polled =
        new PolledModel(
            new ModelId(whole.id().namespace(), name),
            directory,
            Optional.empty(),
            PartConfig.of(directory, whole.config().message(), part),
            whole.origin());
    LoadedModel model = loader.apply(polled);
    loaded.add(model);
    return model.config();
  }

  /** The load of the version has returned: no further part is loaded. */
  void end() {
    ended = true;
  }

  /**
   * The part of that name, entered; empty if there is none.
   *
   * @throws InferenceException if it has failed, or is being closed
   */
  Optional<LoadedModel> enter(String name) {
    LoadedModel part = find(name);
    if (part == null) {
      return Optional.empty();
    }
    InferenceException failure = part.failure();
    if (failure != null) {
      throw failure;
    }
    if (!part.enter()) {
      throw InferenceException.unavailable("model '%s' is being closed".formatted(name));
    }
    return Optional.of(part);
  }

  private @Nullable LoadedModel find(String name) {
    for (LoadedModel part : loaded) { // mostly one
      if (part.key().name().equals(name)) {
        return part;
      }
    }
    return null;
  }

  List<LoadedModel> all() {
    return List.copyOf(loaded);
  }

  boolean isHealthy() {
    return loaded.stream().allMatch(LoadedModel::isHealthy);
  }

  /** Why one of them gets no requests any more; null if none has failed. */
  @Nullable InferenceException failure() {
    for (LoadedModel part : loaded) { // asked for each request: no stream
      InferenceException failure = part.failure();
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /** Closes them, each behind its last request. */
  @Override
  public void close() {
    ended = true;
    loaded.reversed().forEach(LoadedModel::close);
  }
}
