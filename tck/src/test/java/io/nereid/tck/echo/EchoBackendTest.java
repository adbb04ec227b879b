package io.nereid.tck.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class EchoBackendTest {
  private static BackendUnderTest echo(int maxBatchSize, DataType type, String output) {
    var config =
        ModelConfig.of("echo", "tck_echo")
            .withSignature(
                maxBatchSize,
                List.of(TensorConfig.of("INPUT0", type, Shape.of(-1))),
                List.of(TensorConfig.of(output, type, Shape.of(-1))));
    return BackendUnderTest.of(new EchoBackend(), new ModelFiles(Path.of("echo"), 1), config);
  }

  private static BackendUnderTest batched() {
    return echo(8, DataType.FP32, "OUTPUT0");
  }

  @Test
  void rejectsTheOneRequestOfABatchThatLacksItsInput() {
    try (var model = OpenModel.of(batched())) {
      var whole = new TensorGenerator(1).inputs(model.config(), 2);
      var execution = model.execute(List.of(whole, List.of(), whole));

      assertThat(execution.violations()).isEmpty();
      assertThat(execution.answers().get(1)).singleElement().isInstanceOf(Outcome.Failure.class);
      assertThat(execution.outputs(0).tensors()).containsOnlyKeys("OUTPUT0");
      assertThat(execution.outputs(2).tensors()).containsOnlyKeys("OUTPUT0");
    }
  }

  /** Has every verification use the same backend and model. */
  interface Echo extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return batched();
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
  class Declarations extends DeclarationsVerification implements Echo {}

  @Nested
  class Types extends TypesVerification {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      return Optional.of(echo(0, type, "OUTPUT0"));
    }
  }

  @Nested
  class Errors extends ErrorVerification implements Echo {
    @Override
    protected BackendUnderTest unloadable() {
      return echo(8, DataType.FP32, "OUTPUT7");
    }
  }
}
