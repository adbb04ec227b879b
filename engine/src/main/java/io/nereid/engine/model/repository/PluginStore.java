package io.nereid.engine.model.repository;

import io.nereid.engine.plugin.PluginContext;
import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** A store that is called in the context of its own class loader. */
record PluginStore(ObjectStore store) implements ObjectStore {
  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    try (var _ = new PluginContext(store)) {
      return store.list(prefix);
    }
  }

  @Override
  public InputStream read(StoredObject object, long offset) throws IOException {
    try (var _ = new PluginContext(store)) {
      return store.read(object, offset);
    }
  }

  @Override
  public Optional<ObjectChecksum> checksum(StoredObject object) throws IOException {
    try (var _ = new PluginContext(store)) {
      return store.checksum(object);
    }
  }

  @Override
  public void close() {
    try (var _ = new PluginContext(store)) {
      store.close();
    }
  }
}
