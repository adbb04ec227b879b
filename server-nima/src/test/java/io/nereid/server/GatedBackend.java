package io.nereid.server;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A backend whose models hold every request until a test opens their gate, in whatever process: an
 * instance that begins writes a file {@code entered-<instance>} into the model's directory, and
 * goes on once there is a file {@code open}. Answers with the input.
 */
public final class GatedBackend implements BackendProvider, Backend {
  static final String NAME = "gated";
  static final String OPEN = "open";
  static final String ENTERED = "entered-";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Backend open(BackendSettings settings) {
    return this;
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    return new GatedModel(files.modelDirectory());
  }

  @Override
  public void close() {}

  private record GatedModel(Path directory) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new GatedInstance(directory, settings.name());
    }

    @Override
    public void close() {}
  }

  private record GatedInstance(Path directory, String name) implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      try {
        Files.writeString(directory.resolve(ENTERED + name), "");
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
      while (!Files.exists(directory.resolve(OPEN))) {
        LockSupport.parkNanos(2_000_000);
      }
      var input = batch.input(0, "INPUT0").orElseThrow();
      var output =
          results.allocate(0, "OUTPUT0", input.dataType(), input.shape(), input.byteSize());
      Elements.copy(input.data(), output);
    }

    @Override
    public void close() {}
  }
}
