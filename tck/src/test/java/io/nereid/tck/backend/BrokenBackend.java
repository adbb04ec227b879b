package io.nereid.tck.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;

/** A backend with a given defect in its execution: one FP32 input IN and one output OUT. */
record BrokenBackend(BiConsumer<Batch, Results> execution) implements BackendProvider {
  static BackendUnderTest with(BiConsumer<Batch, Results> execution) {
    return underTest(new BrokenBackend(execution));
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
  public Backend open(BackendSettings settings) {
    return new StatelessBackend(_ -> {}, execution);
  }
}
