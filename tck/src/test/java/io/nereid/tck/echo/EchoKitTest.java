package io.nereid.tck.echo;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

class EchoKitTest {
  private static final ModelFiles FILES = new ModelFiles(Path.of("models", "echo"), 1);

  interface Echo extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      ModelConfig config =
          ModelConfig.of("echo", "tck_echo").toBuilder()
              .maxBatchSize(4)
              .inputs(TensorConfig.of("INPUT0", DataType.FP32, Shape.of(-1)))
              .outputs(TensorConfig.of("OUTPUT0", DataType.FP32, Shape.of(-1)))
              .build();
      return BackendUnderTest.of(new EchoBackend(), FILES, config);
    }
  }

  @Nested
  class Execution extends ExecutionVerification implements Echo {}

  @Nested
  class Errors extends ErrorVerification implements Echo {
    @Override
    public BackendUnderTest unloadable() {
      ModelConfig config =
          backend().config().toBuilder()
              .name("no_input")
              .outputs(TensorConfig.of("OUTPUT1", DataType.FP32, Shape.of(-1)))
              .build();
      return BackendUnderTest.of(new EchoBackend(), FILES, config);
    }
  }
}
