package io.nereid.engine.model.config;

import io.nereid.config.InstanceSettings.Kind;
import io.nereid.config.ModelConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** Completed configurations of a model m, with a test's backend. */
abstract class CompletedConfigs {
  static final String IO =
      " input { name: 'i' data_type: TYPE_FP32 dims: [ 3, -1 ] }"
          + " output { name: 'o' data_type: TYPE_STRING dims: 1 label_filename: 'l' }";

  @TempDir Path repository;

  /** Completes a configuration to which the backend adds nothing. */
  ModelConfiguration complete(String text) {
    return complete(text, UnaryOperator.identity());
  }

  ModelConfiguration complete(String text, UnaryOperator<ModelConfig> backend) {
    return complete(ModelOnDisk.named(repository, "m").withConfig(text), backend);
  }

  static ModelConfiguration complete(ModelOnDisk model, UnaryOperator<ModelConfig> backend) {
    var polled = new ModelConfigReader(ConfigSettings.DEFAULT).read(model.directory());
    return new ModelConfigCompletion(ConfigSettings.DEFAULT)
        .complete(
            model.directory(), polled, backend, kind -> kind == Kind.KIND_CPU ? 2 : 1, List.of());
  }
}
