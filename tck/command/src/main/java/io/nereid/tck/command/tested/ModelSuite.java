package io.nereid.tck.command.tested;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.config.ModelConfig;
import io.nereid.request.Parameter;
import io.nereid.spi.BackendProvider;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.DecoupledVerification;
import io.nereid.tck.backend.DetachedVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LeakVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.PipelineVerification;
import io.nereid.tck.backend.SequenceVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.opentest4j.TestAbortedException;

/** All verifications of backends, on the model that a run is at. */
public final class ModelSuite {
  /** Bound while JUnit runs, which makes the suite's instances itself. */
  static final ScopedValue<TestedModel> MODEL = ScopedValue.newInstance();

  interface Current extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return MODEL.get().backend();
    }

    @Override
    default List<Tensor> inputs(ModelConfig config, long rows, long seed) {
      return MODEL
          .get()
          .requests()
          .inputs(config, rows, seed)
          .orElseGet(() -> BackendFactory.super.inputs(config, rows, seed));
    }

    @Override
    default Map<String, Parameter> parameters(ModelConfig config, long seed) {
      return MODEL.get().requests().parameters(seed);
    }
  }

  @Nested
  final class Lifecycle extends LifecycleVerification implements Current {
    /** The search of the server has found it. */
    @Override
    protected Iterable<BackendProvider> found() {
      return List.of(backend().provider());
    }
  }

  @Nested
  final class Execution extends ExecutionVerification implements Current {}

  @Nested
  final class Memory extends MemoryVerification implements Current {}

  @Nested
  final class Threading extends ThreadingVerification implements Current {}

  @Nested
  final class Declarations extends DeclarationsVerification implements Current {}

  @Nested
  final class Errors extends ErrorVerification implements Current {
    @Override
    protected BackendUnderTest unloadable() {
      throw new TestAbortedException(
          "no model is known that must not load: extend ErrorVerification");
    }
  }

  @Nested
  final class Types extends TypesVerification implements Current {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      throw new TestAbortedException(
          "no model is known that copies its input: extend TypesVerification");
    }
  }

  @Nested
  final class Pipeline extends PipelineVerification implements Current {
    @BeforeEach
    void concernsTheModel() {
      assumeTrue(MODEL.get().isPipelined(), "its instances have one batch in flight");
    }
  }

  @Nested
  final class Decoupled extends DecoupledVerification implements Current {
    @BeforeEach
    void concernsTheModel() {
      assumeTrue(MODEL.get().completed().decoupled(), "the model is not decoupled");
    }
  }

  @Nested
  final class Detached extends DetachedVerification implements Current {}

  @Nested
  final class Sequences extends SequenceVerification implements Current {
    @BeforeEach
    void concernsTheModel() {
      assumeTrue(
          MODEL.get().completed().sequence().isPresent(), "the model has no sequence_batching");
    }
  }

  @Nested
  final class Leaks extends LeakVerification implements Current {}
}
