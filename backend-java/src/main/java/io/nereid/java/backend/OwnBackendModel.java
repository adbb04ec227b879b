package io.nereid.java.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import java.util.List;
import java.util.Optional;

/**
 * A version whose class is a {@link io.nereid.spi.BackendProvider}: it has a backend of its own,
 * which is closed with it. Instances are those of that backend.
 */
record OwnBackendModel(
    ModelFiles files, ModelConfig config, Backend backend, Model model, System.Logger logger)
    implements Model {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    try (var _ = new LoaderScope(backend.getClass())) {
      return model.open(settings);
    }
  }

  @Override
  public Optional<HostAllocator> inputAllocator() {
    return model.inputAllocator();
  }

  @Override
  public boolean fillsOutputs() {
    return model.fillsOutputs();
  }

  @Override
  public boolean isShapeHint(String output) {
    return model.isShapeHint(output);
  }

  @Override
  public Optional<BatchingStrategy> batchingStrategy() {
    return model.batchingStrategy();
  }

  @Override
  public List<MemoryUsage> memoryUsage() {
    return model.memoryUsage();
  }

  @Override
  public void close() {
    try (var _ = new LoaderScope(backend.getClass())) {
      try {
        model.close();
      } finally {
        backend.close();
      }
    } finally {
      LeftThreads.report(logger, config.name(), files.version(), backend.getClass());
    }
  }
}
