package io.nereid.trees;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import java.util.List;

/** The provider of the backend {@code trees}. It needs nothing of the machine. */
public final class TreesBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "trees";
  }

  @Override
  public List<String> aliases() {
    return FilParameters.BACKENDS;
  }

  @Override
  public Backend open(BackendContext context) {
    int rows = context.options().integer("default-max-batch-size", TreesBackend.MAX_BATCH_SIZE);
    return new TreesBackend(Math.max(0, rows));
  }
}
