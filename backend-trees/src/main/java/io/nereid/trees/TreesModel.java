package io.nereid.trees;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.trees.forest.Ensemble;
import java.util.List;

/** A model in memory, which its instances share. */
record TreesModel(ModelConfig config, Ensemble model) implements Model {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    return new TreesInstance(config, model);
  }

  @Override
  public boolean fillsOutputs() {
    return true;
  }

  /** A missing value is NaN. */
  @Override
  public boolean takesMissing() {
    return true;
  }

  /** FIL answers in another shape than its configurations declare. */
  @Override
  public boolean isShapeHint(String output) {
    var signature = new TreesSignature(config, model);
    return config.output(output).filter(signature::isSqueezed).isPresent();
  }

  @Override
  public List<MemoryUsage> memoryUsage() {
    return List.of(new MemoryUsage("CPU", 0, model.byteSize()));
  }

  @Override
  public void close() {
    // Nothing but the heap.
  }
}
