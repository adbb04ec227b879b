package io.nereid.tck.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;

/** A backend with a given defect in its execution. */
record BrokenBackend(Execution execution) implements BackendProvider {
  /** What it does with a batch of a model with one FP32 input IN and one output OUT. */
  @FunctionalInterface
  interface Execution {
    void execute(Batch batch, Results results);
  }

  static BackendUnderTest with(Execution execution) {
    var config =
        ModelConfig.of("broken", "broken")
            .withSignature(
                8,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(4))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(4))));
    var files = new ModelFiles(Path.of("broken"), 1);
    return BackendUnderTest.of(new BrokenBackend(execution), files, config);
  }

  @Override
  public String name() {
    return "broken";
  }

  @Override
  public Backend open(BackendSettings settings) {
    return new Backend() {
      @Override
      public Model load(ModelFiles files, ModelConfig config) {
        return new BrokenModel(execution);
      }

      @Override
      public void close() {}
    };
  }

  private record BrokenModel(Execution execution) implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      return new ModelInstance() {
        @Override
        public void execute(Batch batch, Results results) {
          execution.execute(batch, results);
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }
}
