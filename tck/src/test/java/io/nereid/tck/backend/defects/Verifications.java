package io.nereid.tck.backend.defects;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.Parameter;
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
import io.nereid.tck.backend.SequenceVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.backend.TypesVerification;
import io.nereid.tck.support.Launched;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;

/** The verifications of a {@link Specimen}. */
final class Verifications {
  private static final ScopedValue<Specimen> SPECIMEN = ScopedValue.newInstance();

  /** Whether all defects are run, and not the fraction of the build. */
  static final boolean FULL = Integer.getInteger("nereid.defects.every", 8) == 1;

  private Verifications() {}

  /** Runs the verification that has a rule. */
  static Launched run(String rule, Supplier<Specimen> specimen) {
    Class<?> verification =
        switch (rule.split("-", -1)[1]) {
          case "LIFE" -> Lifecycle.class;
          case "EXEC" -> Execution.class;
          case "MEMORY" -> Memory.class;
          case "THREAD" -> Threading.class;
          case "ERROR" -> Errors.class;
          case "DECL" -> Declarations.class;
          case "TYPES" -> Types.class;
          case "DEC" -> Decoupled.class;
          case "DET" -> Detached.class;
          case "SEQ" -> Sequences.class;
          case "LEAK" -> Leaks.class;
          default -> throw new IllegalArgumentException(rule);
        };
    return launch(verification, specimen);
  }

  /** Runs all verifications of a model that answers once. */
  static Launched run(Supplier<Specimen> specimen) {
    return launch(All.class, specimen);
  }

  /** Runs one verification. */
  static Launched launch(Class<?> verification, Supplier<Specimen> specimen) {
    return ScopedValue.where(SPECIMEN, specimen.get()).call(() -> Launched.run(verification));
  }

  /** The current specimen and what it says. */
  interface Current extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return SPECIMEN.get().backend();
    }

    @Override
    default Duration maxCall() {
      return SPECIMEN.get().maxCall();
    }

    @Override
    default boolean opensOnce() {
      return SPECIMEN.get().opensOnce();
    }

    @Override
    default List<Tensor> inputs(ModelConfig config, long rows, long seed) {
      return SPECIMEN.get().inputs(config, rows, seed);
    }

    @Override
    default long dimension(TensorConfig input, int axis) {
      return SPECIMEN.get().dimension(input, axis);
    }

    @Override
    default Map<String, Parameter> parameters(ModelConfig config, long seed) {
      return SPECIMEN.get().parameters(config, seed);
    }

    @Override
    default boolean isDeterministic() {
      return SPECIMEN.get().isDeterministic();
    }

    @Override
    default Optional<Map<String, Tensor>> expected(ModelConfig config, SampleRequest request) {
      return SPECIMEN.get().expected(config, request);
    }

    @Override
    default Optional<List<Map<String, Tensor>>> expectedResponses(
        ModelConfig config, SampleRequest request) {
      return SPECIMEN.get().expectedResponses(config, request);
    }

    @Override
    default Optional<SampleRequest> refused(ModelConfig config) {
      return SPECIMEN.get().refused(config);
    }

    @Override
    default Optional<SampleRequest> longRequest(ModelConfig config) {
      return SPECIMEN.get().longRequest(config);
    }
  }

  static class Lifecycle extends LifecycleVerification implements Current {}

  static class Execution extends ExecutionVerification implements Current {}

  static class Memory extends MemoryVerification implements Current {}

  static class Threading extends ThreadingVerification implements Current {}

  static class Declarations extends DeclarationsVerification implements Current {}

  static class Errors extends ErrorVerification implements Current {
    @Override
    protected BackendUnderTest unloadable() {
      return SPECIMEN.get().unloadable();
    }
  }

  static class Types extends TypesVerification {
    @Override
    protected Optional<BackendUnderTest> identity(DataType type) {
      return SPECIMEN.get().identity(type);
    }
  }

  static class Decoupled extends DecoupledVerification implements Current {}

  static class Detached extends DetachedVerification implements Current {}

  static class Sequences extends SequenceVerification implements Current {}

  static class Leaks extends LeakVerification implements Current {
    @Override
    protected int loads() {
      return FULL ? 400 : 80;
    }

    @Override
    protected int executions() {
      return FULL ? 3_200 : 400;
    }
  }

  /** All that hold for any model, in one class, as an implementer has them. */
  static class All {
    @Nested
    class OfLifecycle extends Lifecycle {}

    @Nested
    class OfExecution extends Execution {}

    @Nested
    class OfMemory extends Memory {}

    @Nested
    class OfThreading extends Threading {}

    @Nested
    class OfDeclarations extends Declarations {}

    @Nested
    class OfErrors extends Errors {}
  }
}
