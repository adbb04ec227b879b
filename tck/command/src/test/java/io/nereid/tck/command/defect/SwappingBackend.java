package io.nereid.tck.command.defect;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;

/**
 * Gives each request its own input, and swaps those of a batch whose requests are of equal size.
 */
public final class SwappingBackend implements BackendProvider {
  @Override
  public String name() {
    return "swapping";
  }

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  private record Opened() implements Backend {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return new Loaded();
    }

    @Override
    public void close() {}
  }

  private record Loaded() implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new Instance();
    }

    @Override
    public void close() {}
  }

  private record Instance() implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      for (int i = 0; i < batch.size(); i++) {
        Tensor own = input(batch, i);
        Tensor other = input(batch, batch.size() - 1 - i);
        Tensor given = own.byteSize() == other.byteSize() ? other : own;
        if (results.wants(i, "OUTPUT0")) {
          Elements.copy(
              given.data(),
              results.allocate(i, "OUTPUT0", own.dataType(), own.shape(), own.byteSize()));
        }
      }
    }

    private static Tensor input(Batch batch, int request) {
      return batch.input(request, "INPUT0").orElseThrow();
    }

    @Override
    public void close() {}
  }
}
