package io.nereid.tck.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.execution.StandInModel;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A backend that calls a model, which the test stands for. */
class CallingBackendTest {
  interface Calling extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      ModelConfig config =
          ModelConfig.of("calling", "tck_calling")
              .withSignature(8, List.of(tensor("INPUT0")), List.of(tensor("OUTPUT0")))
              .toBuilder()
              .parameters(Map.of("calls", "echo"))
              .build();
      return BackendUnderTest.of(
          new CallingBackend(), new ModelFiles(Path.of("calling"), 1), config);
    }

    @Override
    default Map<String, StandInModel> calledModels() {
      return Map.of("echo", CallingBackendTest::echo);
    }
  }

  private static TensorConfig tensor(String name) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(2));
  }

  private static List<Tensor> echo(ModelCall call) {
    Tensor input = call.inputs().getFirst();
    return List.of(new Tensor("OUTPUT0", input.dataType(), input.shape(), input.data()));
  }

  @Nested
  class Execution extends ExecutionVerification implements Calling {}

  @Nested
  class Memory extends MemoryVerification implements Calling {}

  @Nested
  class Threading extends ThreadingVerification implements Calling {}

  @Test
  void theDocumentShowsHowModelsAreCalled() throws IOException {
    String source =
        Files.readString(Path.of("src/main/java/io/nereid/tck/echo/CallingBackend.java"));
    int begin = source.indexOf("  private static void execute(");
    String shown = source.substring(begin, source.lastIndexOf('}')).indent(-2);

    assertThat(Files.readString(Path.of("../docs/writing-a-backend.md"))).contains(shown);
  }
}
