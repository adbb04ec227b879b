package io.nereid.tck.echo;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A backend, all of its models and all of their instances in one: none has state or frees anything.
 *
 * @param check throws if a model of that configuration cannot be loaded
 * @param execution executes a batch
 */
public record StatelessBackend(Consumer<ModelConfig> check, BiConsumer<Batch, Results> execution)
    implements Backend, Model, ModelInstance {
  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    check.accept(config);
    return this;
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    return this;
  }

  @Override
  public void execute(Batch batch, Results results) {
    execution.accept(batch, results);
  }

  @Override
  public void close() {}
}
