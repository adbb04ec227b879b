package io.nereid.engine.model.repository;

import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The objects of a store as the files of one model: the object {@code model.onnx} has the key
 * {@code <model>/model.onnx}. The model's directory is always there, if only as an empty one.
 *
 * @param store borrowed
 */
record BareModelStore(ObjectStore store, String model) implements ObjectStore {
  private String directory() {
    return model + "/";
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    String directory = directory();
    if (!prefix.startsWith(directory) && !directory.startsWith(prefix)) {
      return List.of();
    }
    List<StoredObject> objects = new ArrayList<>();
    if (directory.startsWith(prefix)) {
      objects.add(new StoredObject(directory, 0, ""));
    }
    String inside = prefix.startsWith(directory) ? prefix.substring(directory.length()) : "";
    for (StoredObject object : store.list(inside)) {
      objects.add(new StoredObject(directory + object.key(), object.byteSize(), object.tag()));
    }
    return objects;
  }

  @Override
  public InputStream read(StoredObject object, long offset) throws IOException {
    return store.read(stored(object), offset);
  }

  @Override
  public Optional<ObjectChecksum> checksum(StoredObject object) throws IOException {
    return store.checksum(stored(object));
  }

  private StoredObject stored(StoredObject object) {
    return new StoredObject(
        object.key().substring(directory().length()), object.byteSize(), object.tag());
  }

  /** Does nothing: the store has an owner. */
  @Override
  public void close() {}
}
