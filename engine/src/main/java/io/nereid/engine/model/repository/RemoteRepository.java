package io.nereid.engine.model.repository;

import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A model repository in an object store. Its contents are listed at every call; a directory to load
 * from is a snapshot in the cache, which has exactly the contents that it was asked for.
 */
public final class RemoteRepository implements ModelRepository {
  private final String location;
  private final boolean isBare;
  private final ObjectStore store;
  private final ObjectCache cache;
  private final Retries retries;

  /** The copies in use by their paths; guarded by this map. */
  private final Map<Path, Copy> copies = new HashMap<>();

  /**
   * A copy of contents.
   *
   * @param uses how often it is in use
   */
  private record Copy(String model, DirectoryContents contents, int uses) {
    Copy withUses(int number) {
      return new Copy(model, contents, number);
    }
  }

  /**
   * @param store borrowed
   * @param bareModel the name of the model without a layout that all objects are files of; empty if
   *     there are models
   * @param cache borrowed
   */
  public RemoteRepository(
      String location,
      ObjectStore store,
      Optional<String> bareModel,
      ObjectCache cache,
      Retries retries) {
    this.location = location;
    this.isBare = bareModel.isPresent();
    this.store = bareModel.<ObjectStore>map(name -> new BareModelStore(store, name)).orElse(store);
    this.cache = cache;
    this.retries = retries;
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public boolean isBare() {
    return isBare;
  }

  @Override
  public List<String> models() {
    return List.copyOf(ObjectTree.byModel(list("")).keySet());
  }

  @Override
  public Optional<DirectoryContents> contents(String model) {
    if (model.isEmpty() || model.startsWith(".") || model.contains("/")) {
      return Optional.empty();
    }
    List<StoredObject> objects = list(model + "/");
    return objects.isEmpty() ? Optional.empty() : Optional.of(ObjectTree.contents(model, objects));
  }

  /** One listing of all objects, instead of one per model. */
  @Override
  public RepositoryContents contents() {
    SortedMap<String, List<StoredObject>> models = ObjectTree.byModel(list(""));
    return RepositoryContents.of(
        models.keySet(),
        model ->
            Optional.ofNullable(models.get(model))
                .map(objects -> ObjectTree.contents(model, objects)));
  }

  private List<StoredObject> list(String prefix) {
    try {
      return retries.call(() -> store.list(prefix));
    } catch (IOException failed) {
      throw new InferenceException(
          code(failed),
          "cannot read model repository '%s': %s".formatted(location, IoReason.of(failed)),
          failed);
    }
  }

  @Override
  public Path directory(String model, DirectoryContents contents) {
    synchronized (copies) {
      for (Map.Entry<Path, Copy> each : copies.entrySet()) {
        Copy copy = each.getValue();
        if (copy.model().equals(model) && copy.contents().equals(contents)) {
          each.setValue(copy.withUses(copy.uses() + 1));
          return each.getKey();
        }
      }
    }
    Path directory = copy(model, contents);
    synchronized (copies) {
      copies.put(directory, new Copy(model, contents, 1));
    }
    return directory;
  }

  private Path copy(String model, DirectoryContents contents) {
    try {
      return cache.snapshot(
          new ObjectCache.Source(
              store,
              location,
              model,
              ObjectTree.objects(model, contents),
              ObjectTree.directories(contents)));
    } catch (IOException failed) {
      throw notCopied(model, failed, IoReason.withPath(failed));
    } catch (InvalidPathException failed) {
      throw notCopied(model, failed, IoReason.of(failed));
    }
  }

  private InferenceException notCopied(String model, Exception failed, String reason) {
    return new InferenceException(
        code(failed),
        "model '%s': cannot copy its files from '%s': %s".formatted(model, location, reason),
        failed);
  }

  @Override
  public boolean isCopy(Path directory) {
    synchronized (copies) {
      return copies.containsKey(directory);
    }
  }

  @Override
  public void release(Path directory) {
    synchronized (copies) {
      Copy copy = copies.get(directory);
      if (copy == null || copy.uses() > 1) {
        copies.computeIfPresent(directory, (_, present) -> present.withUses(present.uses() - 1));
        return;
      }
      copies.remove(directory);
    }
    cache.release(directory);
  }

  /** The status of a failure: of the store, or of the disk. */
  private static StatusCode code(Exception failure) {
    return failure instanceof ObjectStoreException store
        ? switch (store.reason()) {
          case UNAVAILABLE, CHANGED -> StatusCode.UNAVAILABLE;
          case NOT_FOUND, DENIED, REJECTED -> StatusCode.INVALID_ARGUMENT;
        }
        : StatusCode.INTERNAL;
  }
}
