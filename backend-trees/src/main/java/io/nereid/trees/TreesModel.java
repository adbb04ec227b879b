package io.nereid.trees;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.PathWeights;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model in memory, which its instances share.
 *
 * @param paths null if no output has contributions
 */
record TreesModel(ModelConfig config, Ensemble model, @Nullable PathWeights paths)
    implements Model {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    return new TreesInstance(config, model, paths);
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
    long byteSize = model.byteSize() + (paths == null ? 0 : paths.byteSize());
    return List.of(new MemoryUsage("CPU", 0, byteSize));
  }

  @Override
  public void close() {
    // Nothing but the heap.
  }
}
