package io.nereid.benchmarks.micro;

import io.nereid.config.InstanceSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import java.util.function.BiConsumer;

/**
 * A model and its instances, which call a function for each batch.
 *
 * @param fillsOutputs whether it says so, so that they are not cleared
 */
record FunctionModel(boolean fillsOutputs, BiConsumer<Batch, Results> function)
    implements Model, ModelInstance {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    return this;
  }

  @Override
  public void execute(Batch batch, Results results) {
    function.accept(batch, results);
  }

  @Override
  public void close() {}
}
