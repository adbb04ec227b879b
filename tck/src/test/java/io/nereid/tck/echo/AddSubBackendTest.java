package io.nereid.tck.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AddSubBackendTest {
  private static BackendUnderTest addSub() {
    var config =
        ModelConfig.of("simple", "tck_add_sub")
            .withSignature(
                8,
                List.of(tensor("INPUT0"), tensor("INPUT1")),
                List.of(tensor("OUTPUT0"), tensor("OUTPUT1")));
    return BackendUnderTest.of(new AddSubBackend(), new ModelFiles(Path.of("simple"), 1), config);
  }

  private static TensorConfig tensor(String name) {
    return TensorConfig.of(name, DataType.INT32, Shape.of(2));
  }

  @Test
  void addsAndSubtracts() {
    try (var model = OpenModel.of(addSub())) {
      var outputs = model.execute(List.of(List.of(ints("INPUT0", 5, 7), ints("INPUT1", 2, 9))));

      Tensors.assertSame(Tensors.named(outputs.outputs(0), "OUTPUT0"), ints("OUTPUT0", 7, 16));
      Tensors.assertSame(Tensors.named(outputs.outputs(0), "OUTPUT1"), ints("OUTPUT1", 3, -2));
      assertThat(outputs.violations()).isEmpty();
    }
  }

  private static Tensor ints(String name, int first, int second) {
    var data = MemorySegment.ofArray(new byte[8]);
    data.set(Elements.INT, 0, first);
    data.set(Elements.INT, 4, second);
    return new Tensor(name, DataType.INT32, Shape.of(1, 2), data);
  }

  /** Has every verification use the same backend and model. */
  interface AddSub extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return addSub();
    }
  }

  @Nested
  class Execution extends ExecutionVerification implements AddSub {}

  @Nested
  class Memory extends MemoryVerification implements AddSub {}

  @Nested
  class Threading extends ThreadingVerification implements AddSub {}
}
