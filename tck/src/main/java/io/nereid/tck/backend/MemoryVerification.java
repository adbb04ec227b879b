package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.GuardPageArena;
import io.nereid.tck.support.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.TestBatch;
import org.junit.jupiter.api.Test;

/** Ownership and bounds of memory. */
public abstract class MemoryVerification extends BackendVerification {
  @Test
  @Rule("BACKEND-MEMORY-01")
  void leavesInputsUntouched() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 1));

      assertThat(execution.violations()).isEmpty();
      assertThat(execution.inputsUntouched()).isTrue();
    }
  }

  @Test
  @Rule("BACKEND-MEMORY-02")
  void readsNothingBehindItsInputs() {
    assumeThat(GuardPageArena.isSupported()).isTrue();
    try (var arena = new GuardPageArena();
        var model = OpenModel.of(backend());
        var batch = new TestBatch(model.config(), arena::allocate)) {
      BackendVerification.requests(model.config(), 2).forEach(batch::add);

      assertThat(model.execute(batch).outputs(0).tensors()).isNotEmpty();
    }
  }

  @Test
  @Rule("BACKEND-MEMORY-03")
  void keepsNoInputOfABatchThatIsOver() {
    try (var model = OpenModel.of(backend())) {
      for (long seed = 0; seed < 20; seed++) { // each batch's memory ends before the next
        var execution = model.execute(BackendVerification.requests(model.config(), seed));
        assertThat(execution.outputs(0).tensors()).isNotEmpty();
      }
    }
  }

  @Test
  @Rule("BACKEND-MEMORY-04")
  void leavesWhatItGaveReadableUntilItIsReleased() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 3));

      assertThat(execution.violations()).isEmpty();
      assertThat(execution.answers())
          .allSatisfy(answers -> assertThat(answers).allMatch(Outcome.Outputs.class::isInstance));
    }
  }
}
