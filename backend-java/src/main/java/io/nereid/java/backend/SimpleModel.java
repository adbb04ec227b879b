package io.nereid.java.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;

/** A version whose class is a {@link io.nereid.java.JavaModel} or one of batches. */
record SimpleModel(
    ModelFiles files, ModelConfig config, Class<?> type, ModelObject object, System.Logger logger)
    implements Model {
  @Override
  public ModelInstance open(InstanceSettings settings) {
    boolean waits = !config.calls().isEmpty() && config.sequence().isEmpty();
    return waits
        ? new CallerInstance(config, object, settings.name(), logger)
        : new JavaInstance(config, new ReturnedOutputs(config), object);
  }

  @Override
  public void close() {
    object.close();
    LeftThreads.report(logger, config.name(), files.version(), type);
  }
}
