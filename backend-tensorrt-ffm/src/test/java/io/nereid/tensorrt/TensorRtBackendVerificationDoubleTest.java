package io.nereid.tensorrt;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.PipelineVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** The TCK's backend rules against the doubles of both major versions of TensorRT. */
class TensorRtBackendVerificationDoubleTest {
  /** A version of TensorRT. */
  interface Version {
    int version();

    @BeforeEach
    default void setVersion() {
      NvinferDouble.get().setVersion(version());
    }
  }

  interface Ten extends Version {
    @Override
    default int version() {
      return NvinferDouble.VERSION_10;
    }
  }

  interface Eleven extends Version {
    @Override
    default int version() {
      return NvinferDouble.VERSION_11;
    }
  }

  /** Has every verification use the same batching model. */
  interface Simple extends BackendFactory, Version {
    @Override
    default BackendUnderTest backend() {
      return TestPlans.underTest("simple", TestPlans.simple().version(version()));
    }
  }

  /** A model without a batch dimension. */
  interface Fixed extends BackendFactory, Version {
    @Override
    default BackendUnderTest backend() {
      var plan =
          new PlanText()
              .version(version())
              .input("IN", DataType.FP32, 2, 4)
              .output("OUT", DataType.FP32, "scale IN 2 1", 2, 4);
      return TestPlans.underTest("fixed", plan);
    }
  }

  private static Optional<BackendUnderTest> identity(DataType type, int version) {
    if (!TestPlans.TYPES.contains(type)) {
      return Optional.empty();
    }
    ModelConfig config =
        TestPlans.bare("identity")
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", type, Shape.of(-1))),
                List.of(TensorConfig.of("OUT", type, Shape.of(-1))));
    var plan = TestPlans.identity(type).version(version);
    return Optional.of(TestPlans.underTest(config, plan, Map.of()));
  }

  private static BackendUnderTest corrupt(int version) {
    return TestPlans.underTest("corrupt", TestPlans.simple().version(version).corrupt());
  }

  @Nested
  @UsesDoubles
  class Lifecycle10 extends LifecycleVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Lifecycle11 extends LifecycleVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class Execution10 extends ExecutionVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Execution11 extends ExecutionVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class ExecutionWithoutRows10 extends ExecutionVerification implements Fixed, Ten {}

  @Nested
  @UsesDoubles
  class ExecutionWithoutRows11 extends ExecutionVerification implements Fixed, Eleven {}

  @Nested
  @UsesDoubles
  class Memory10 extends MemoryVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Memory11 extends MemoryVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class Threading10 extends ThreadingVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Threading11 extends ThreadingVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class Declarations10 extends DeclarationsVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Declarations11 extends DeclarationsVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class Pipeline10 extends PipelineVerification implements Simple, Ten {}

  @Nested
  @UsesDoubles
  class Pipeline11 extends PipelineVerification implements Simple, Eleven {}

  @Nested
  @UsesDoubles
  class PipelineWithoutRows10 extends PipelineVerification implements Fixed, Ten {}

  @Nested
  @UsesDoubles
  class Types10 extends TypesVerification implements Ten {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      return TensorRtBackendVerificationDoubleTest.identity(type, version());
    }
  }

  @Nested
  @UsesDoubles
  class Types11 extends TypesVerification implements Eleven {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      return TensorRtBackendVerificationDoubleTest.identity(type, version());
    }
  }

  @Nested
  @UsesDoubles
  class Errors10 extends ErrorVerification implements Simple, Ten {
    @Override
    protected BackendUnderTest unloadable() {
      return corrupt(version());
    }
  }

  @Nested
  @UsesDoubles
  class Errors11 extends ErrorVerification implements Simple, Eleven {
    @Override
    protected BackendUnderTest unloadable() {
      return corrupt(version());
    }
  }
}
