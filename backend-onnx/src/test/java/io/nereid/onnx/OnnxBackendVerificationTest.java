package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LeakVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/** The TCK's backend rules for models that batch, models that do not, and models of strings. */
class OnnxBackendVerificationTest {
  private static BackendUnderTest simple() {
    return TestModels.underTest(TestModels.bare("simple"));
  }

  /** Has every verification use the same backend and model. */
  interface Simple extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return simple();
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Simple {}

  @Nested
  class Execution extends ExecutionVerification implements Simple {}

  @Nested
  class ExecutionOfStrings extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return TestModels.underTest(TestModels.bare("strings_batch"));
    }
  }

  @Nested
  class ExecutionOfRowsOfOneElement extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return TestModels.underTest(TestModels.bare("row_scalar"));
    }
  }

  @Nested
  class ExecutionWithoutRows extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return TestModels.underTest(TestModels.bare("fixed"));
    }
  }

  @Nested
  class Memory extends MemoryVerification implements Simple {}

  @Nested
  class MemoryOfStrings extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      return TestModels.underTest(TestModels.bare("strings_batch"));
    }
  }

  @Nested
  class Threading extends ThreadingVerification implements Simple {}

  @Nested
  class Declarations extends DeclarationsVerification implements Simple {}

  @Nested
  class Leaks extends LeakVerification implements Simple {
    @Override
    protected int loads() {
      return 80;
    }

    @Override
    protected int executions() {
      return 800;
    }
  }

  @Nested
  class Types extends TypesVerification {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      ModelConfig config =
          TestModels.unbatched(
              "identity_" + type.name().toLowerCase(Locale.ROOT),
              List.of(TensorConfig.of("IN", type, Shape.of(-1))),
              TensorConfig.of("OUT", type, Shape.of(-1)));
      return Optional.of(TestModels.underTest(config));
    }
  }

  @Nested
  class Errors extends ErrorVerification implements Simple {
    @Override
    protected BackendUnderTest unloadable() {
      return TestModels.underTest(TestModels.bare("corrupt"));
    }
  }
}
