package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.engine.model.loading.PolledModel.Origin;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.ModelRepository;
import io.nereid.engine.model.repository.OverrideDirectory;
import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Reads the models of all repositories as they are at present. Thread-safe. */
public record RepositoryScan(
    List<ModelRepository> repositories, ModelConfigReader reader, boolean namespacing) {
  /** The reason of a model that two repositories contain. */
  public static final String DUPLICATE = "model appears in two or more repositories";

  /** What was found of one model. */
  public sealed interface Result {
    record Found(PolledModel model) implements Result {}

    /** The model serves, and its files are those that it was loaded with. */
    record Serving(PolledModel model) implements Result {}

    /** Its configuration cannot be read, or two repositories contain it. */
    record Failed(InferenceException failure) implements Result {}
  }

  public RepositoryScan {
    repositories = List.copyOf(repositories);
  }

  /**
   * The models of all repositories, by name; the number of repositories that contain one.
   *
   * @throws InferenceException if a repository cannot be read
   */
  public SortedMap<String, Integer> names() {
    SortedMap<String, Integer> names = new TreeMap<>();
    for (ModelRepository repository : repositories) {
      repository.models().forEach(name -> names.merge(name, 1, Integer::sum));
    }
    return names;
  }

  /** The models of all repositories; with namespaces, those of the same name apart. */
  public SortedSet<ModelId> ids() {
    SortedSet<ModelId> ids = new TreeSet<>();
    for (ModelRepository repository : repositories) {
      repository.models().forEach(name -> ids.add(id(repository, name)));
    }
    return ids;
  }

  /** The models that a name may mean: with namespaces one in each, otherwise one. */
  public List<ModelId> ids(String name) {
    return repositories.stream().map(repository -> id(repository, name)).distinct().toList();
  }

  /**
   * Reads the models of a name: with namespaces one in each, otherwise at most one.
   *
   * @return empty if no repository contains it
   */
  public Map<ModelId, Result> read(String name) {
    Map<ModelId, Result> results = new TreeMap<>();
    for (ModelRepository repository : repositories) {
      ModelId id = id(repository, name);
      try {
        Optional<DirectoryContents> contents = repository.contents(name);
        if (contents.isPresent()) {
          results.merge(id, read(id, repository, contents.get()), this::duplicate);
        }
      } catch (InferenceException failure) {
        results.merge(id, new Result.Failed(failure), this::duplicate);
      }
    }
    return results;
  }

  private Result duplicate(Result one, Result other) {
    for (Result each : List.of(one, other)) {
      if (each instanceof Result.Found(PolledModel model)) {
        discard(model);
      }
    }
    return new Result.Failed(InferenceException.unavailable(DUPLICATE));
  }

  private Result read(ModelId id, ModelRepository repository, DirectoryContents contents) {
    return new Result.Found(read(id, repository, contents, reader::read, new Origin.Repository()));
  }

  private static PolledModel read(
      ModelId id,
      ModelRepository repository,
      DirectoryContents contents,
      Function<ModelDirectory, PolledConfig> reader,
      Origin origin) {
    Path path = repository.directory(id.name(), contents);
    var directory = new ModelDirectory(path, id.name(), repository.isBare());
    try {
      return new PolledModel(id, directory, Optional.of(contents), reader.apply(directory), origin);
    } catch (RuntimeException | Error failed) {
      repository.release(directory.path());
      throw failed;
    }
  }

  /**
   * Reads a model of the repositories with the configuration of a client.
   *
   * @throws InferenceException if no repository contains it, or several do, or the configuration is
   *     invalid
   */
  public PolledModel override(String name, String config) {
    PolledModel polled = null;
    for (ModelRepository repository : repositories) {
      Optional<DirectoryContents> contents = repository.contents(name);
      if (contents.isPresent()) {
        if (polled != null) {
          discard(polled);
          throw InferenceException.unavailable(DUPLICATE);
        }
        polled =
            read(
                id(repository, name),
                repository,
                contents.get(),
                directory -> reader.readOverride(directory, config),
                new Origin.ConfigOverride());
      }
    }
    if (polled == null) {
      throw InferenceException.notFound("no repository contains model '%s'".formatted(name));
    }
    return polled;
  }

  /**
   * Reads a model that a client sent.
   *
   * @param files the directory with the client's files
   * @throws InferenceException if the configuration is invalid
   */
  public PolledModel override(OverrideDirectory files, String config) {
    var directory = new ModelDirectory(files.path());
    String name = directory.name();
    ModelRepository home = repositories.getFirst();
    Optional<DirectoryContents> contents = Optional.empty();
    for (ModelRepository repository : repositories.reversed()) {
      Optional<DirectoryContents> found = repository.contents(name);
      if (found.isPresent()) {
        home = repository;
        contents = found;
      }
    }
    return new PolledModel(
        id(home, name),
        directory,
        contents,
        reader.readOverride(directory, config),
        new Origin.FileOverride(files));
  }

  /**
   * Whether a model's directory is as it was when it was polled; a client's files and copies of an
   * object store's always are.
   *
   * @throws InferenceException if it cannot be read
   */
  boolean isUnchanged(PolledModel polled) {
    if (polled.origin() instanceof Origin.FileOverride) {
      return true;
    }
    for (ModelRepository repository : repositories) {
      if (repository.isCopy(polled.directory().path())) {
        return true;
      }
      if (id(repository, polled.name()).equals(polled.id())) {
        Optional<DirectoryContents> contents = repository.contents(polled.name());
        if (contents.isPresent()) {
          return polled.contents().isPresent()
              && contents.get().changesSince(polled.contents().get()).isEmpty();
        }
      }
    }
    return false;
  }

  /** Ends the use of a polled model's directory: no version is loaded from it any more. */
  public void release(PolledModel polled) {
    switch (polled.origin()) {
      case Origin.Repository _, Origin.ConfigOverride _ ->
          repositories.forEach(repository -> repository.release(polled.directory().path()));
      case Origin.FileOverride(OverrideDirectory files) -> files.close();
    }
  }

  /** Ends the use of a polled model that is not loaded; the client's files may be read again. */
  public void discard(PolledModel polled) {
    if (!(polled.origin() instanceof Origin.FileOverride)) {
      release(polled);
    }
  }

  public ModelId id(ModelRepository repository, String name) {
    return new ModelId(namespacing ? repository.location() : "", name);
  }
}
