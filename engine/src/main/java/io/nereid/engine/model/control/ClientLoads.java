package io.nereid.engine.model.control;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.ClientText;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.control.operation.LoadFailure;
import io.nereid.engine.model.control.operation.LoadOperation.Loaders;
import io.nereid.engine.model.control.operation.ModelOperations;
import io.nereid.engine.model.control.operation.RepositoryScan.Result;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.repository.OverrideDirectories;
import io.nereid.engine.model.repository.OverrideDirectory;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The loads that clients ask for: of what the repositories have, or with a configuration and files
 * of the client's own. Each client has as many under way as its share; a further one waits, before
 * it holds anything that others wait for. Thread-safe.
 */
final class ClientLoads implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ModelManager.class.getName());

  private final Loaders loaders;
  private final ModelOperations operations;
  private final OverrideDirectories overrides =
      new OverrideDirectories(Path.of(System.getProperty("java.io.tmpdir")));
  private final Map<ClientKey, Integer> underWay = new HashMap<>();
  private boolean refusing;

  ClientLoads(Loaders loaders, ModelOperations operations) {
    this.loaders = loaders;
    this.operations = operations;
  }

  /** Deletes the files of servers that have ended without doing so. */
  void deleteLeft() {
    overrides.deleteLeft();
  }

  /** See {@link ModelControl#load}. */
  void load(String model, LoadParameters parameters) {
    if (parameters.client().isEmpty()) {
      loadUntilUnchanged(model, parameters);
      return;
    }
    ClientKey client = parameters.client().get();
    begin(client);
    try {
      loaders.threads().requirePlace(client);
      loadUntilUnchanged(model, parameters);
    } finally {
      end(client);
    }
  }

  /**
   * Waits until a client has less than its share.
   *
   * @throws InferenceException UNAVAILABLE if the server exits
   */
  private synchronized void begin(ClientKey client) {
    while (!refusing && underWay.getOrDefault(client, 0) >= loaders.threads().share()) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw InferenceException.cancelled();
      }
    }
    if (refusing) {
      throw InferenceException.unavailable("Server exiting");
    }
    underWay.merge(client, 1, Integer::sum);
  }

  private synchronized void end(ClientKey client) {
    underWay.computeIfPresent(client, (_, loads) -> loads == 1 ? null : loads - 1);
    notifyAll();
  }

  /** Rejects the loads of clients that wait, and later ones. */
  synchronized void refuse() {
    refusing = true;
    notifyAll();
  }

  private void loadUntilUnchanged(String model, LoadParameters parameters) {
    for (int attempt = 1; ; attempt++) {
      LoadFailure failure = loadOnce(model, parameters);
      if (failure == null) {
        return;
      }
      if (!failure.filesChanged() || attempt == ModelManager.MAX_ATTEMPTS) {
        throw ClientText.of(model, failure.response(model));
      }
    }
  }

  /** Loads a model once; null if it serves as wanted. */
  private @Nullable LoadFailure loadOnce(String model, LoadParameters parameters) {
    Function<String, Map<ModelId, Result>> poll = loaders.scan()::read;
    Optional<OverrideDirectory> files = Optional.empty();
    if (parameters.config().isPresent()) {
      files = files(model, parameters);
      poll = overriding(model, parameters.config().get(), files);
    } else if (!parameters.files().isEmpty()) {
      throw failedToPoll(
          model, "Load parameter 'config' must be specified for model file override");
    }
    ModelOperations.Report report;
    try {
      report = operations.load(Set.of(model), poll, true, parameters.client());
    } catch (RuntimeException | Error rejected) {
      files.ifPresent(OverrideDirectory::close);
      InferenceException failure = LoadFailure.known(rejected);
      if (rejected instanceof InferenceException || LoadFailure.isOfMemory(failure)) {
        LOG.log(Level.ERROR, "failed to load ''{0}'': {1}", model, failure.getMessage());
        throw ClientText.of(model, failure);
      }
      throw rejected;
    }
    for (var unreadable : report.unreadable().entrySet()) {
      if (unreadable.getKey().name().equals(model)) {
        files.ifPresent(OverrideDirectory::close);
        InferenceException failure = unreadable.getValue();
        if (parameters.config().isEmpty()) {
          loaders
              .registry()
              .update(unreadable.getKey(), entry -> entry.notLoaded(failure.reason()));
        }
        throw failedToPoll(model, failure.getMessage());
      }
    }
    if (report.found().stream().noneMatch(id -> id.name().equals(model))) {
      throw failedToPoll(model, "no repository contains it");
    }
    return report.failures().entrySet().stream()
        .filter(failure -> failure.getKey().name().equals(model))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(null);
  }

  private Optional<OverrideDirectory> files(String model, LoadParameters parameters) {
    if (parameters.files().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(overrides.create(model, parameters.files()));
    } catch (InferenceException failure) {
      throw failedToPoll(model, failure.getMessage());
    }
  }

  /** Polls all models, and one of them with the configuration, and maybe the files, of a client. */
  private Function<String, Map<ModelId, Result>> overriding(
      String model, String config, Optional<OverrideDirectory> files) {
    return name -> {
      if (!name.equals(model)) {
        return loaders.scan().read(name);
      }
      try {
        PolledModel polled =
            files
                .map(directory -> loaders.scan().override(directory, config))
                .orElseGet(() -> loaders.scan().override(model, config));
        return Map.of(polled.id(), new Result.Found(polled));
      } catch (InferenceException failure) {
        return Map.of(loaders.scan().ids(model).getFirst(), new Result.Failed(failure));
      }
    };
  }

  private InferenceException failedToPoll(String model, @Nullable String reason) {
    loaders.telemetry().notLoaded(new ModelId("", model), String.valueOf(reason));
    return InferenceException.internal(
        "failed to load '%s', failed to poll from model repository: %s"
            .formatted(model, ClientText.of(model, String.valueOf(reason))));
  }

  /** Deletes the files of clients. */
  @Override
  public void close() {
    overrides.close();
  }
}
