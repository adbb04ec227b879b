package io.nereid.tck.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A backend with a given defect in its execution: one FP32 input IN and one output OUT.
 *
 * @param fillsOutputs whether its model declares that it fills its outputs
 */
record BrokenBackend(BiConsumer<Batch, Results> execution, boolean fillsOutputs)
    implements BackendProvider {
  static BackendUnderTest with(BiConsumer<Batch, Results> execution) {
    return underTest(new BrokenBackend(execution, false));
  }

  static BackendUnderTest filling(BiConsumer<Batch, Results> execution) {
    return underTest(new BrokenBackend(execution, true));
  }

  private record FillingBackend(ModelInstance instance) implements Backend, Model {
    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      return this;
    }

    @Override
    public ModelInstance open(InstanceSettings settings) {
      return instance;
    }

    @Override
    public boolean fillsOutputs() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** A backend with that signature, under test. */
  static BackendUnderTest underTest(BackendProvider broken) {
    var config =
        ModelConfig.of("broken", "broken")
            .withSignature(
                8,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(4))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(4))));
    var files = new ModelFiles(Path.of("broken"), 1);
    return BackendUnderTest.of(broken, files, config);
  }

  @Override
  public String name() {
    return "broken";
  }

  @Override
  public Backend open(BackendContext context) {
    var backend = new StatelessBackend(_ -> {}, execution);
    return fillsOutputs ? new FillingBackend(backend) : backend;
  }
}
