package io.nereid.tck.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.TensorGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The gate as an ordinary backend: models that need no test to open it. */
class OpenGateTest {
  private static BackendUnderTest open() {
    return GatedModels.named("open", Map.of("gate_open", "true"));
  }

  @Test
  void recordsNothing() {
    try (var model = OpenModel.of(open())) {
      model.execute(List.of(new TensorGenerator(1).inputs(model.config(), 1)));
    }
    assertThat(Gate.of("open").executions()).isEmpty();
  }

  @Test
  void takesTheConfiguredTime() {
    try (var model =
        OpenModel.of(
            GatedModels.named("slow", Map.of("gate_open", "true", "execute_micros", "3000")))) {
      long start = System.nanoTime();
      model.execute(List.of(new TensorGenerator(1).inputs(model.config(), 1)));
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(3));
    }
  }

  @Test
  void rejectsParametersWithoutAMeaning() {
    assertRefused("gate_open", "maybe");
    assertRefused("execute_micros", "long");
    assertRefused("execute_micros", "-1");
  }

  private static void assertRefused(String parameter, String value) {
    assertThatThrownBy(() -> OpenModel.of(GatedModels.named("odd", Map.of(parameter, value))))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("'odd'")
        .hasMessageContaining(parameter)
        .hasMessageContaining(value);
  }

  /** Has every verification use the same backend and model. */
  interface OpenGate extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return open();
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements OpenGate {}

  @Nested
  class Execution extends ExecutionVerification implements OpenGate {}

  @Nested
  class Memory extends MemoryVerification implements OpenGate {}

  @Nested
  class Threading extends ThreadingVerification implements OpenGate {}

  @Nested
  class Errors extends ErrorVerification implements OpenGate {
    @Override
    protected BackendUnderTest unloadable() {
      return GatedModels.named("unloadable", Map.of("gate_open", "never"));
    }
  }
}
