package io.nereid.tck.echo;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.PipelineVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** The pipelined example. */
class PipelinedEchoBackendTest {
  interface Echo extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      var config =
          ModelConfig.of("echo", "tck_pipelined_echo")
              .withSignature(
                  6,
                  List.of(
                      TensorConfig.of("IN0", DataType.FP32, Shape.of(3)),
                      TensorConfig.of("IN1", DataType.INT64, Shape.of(-1))),
                  List.of(
                      TensorConfig.of("OUT0", DataType.FP32, Shape.of(3)),
                      TensorConfig.of("OUT1", DataType.INT64, Shape.of(-1))));
      var files = new ModelFiles(Path.of("echo"), 1);
      return BackendUnderTest.of(new PipelinedEchoBackend(), files, config);
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Echo {}

  @Nested
  class Execution extends ExecutionVerification implements Echo {}

  @Nested
  class Memory extends MemoryVerification implements Echo {}

  @Nested
  class Threading extends ThreadingVerification implements Echo {}

  @Nested
  class Pipeline extends PipelineVerification implements Echo {}
}
