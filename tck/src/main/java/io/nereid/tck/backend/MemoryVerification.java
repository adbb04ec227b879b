package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.Rule;
import io.nereid.tck.support.GuardPageArena;
import io.nereid.tck.support.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Tensors;
import io.nereid.tck.support.TestBatch;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ownership and bounds of memory. */
public abstract class MemoryVerification extends BackendVerification {
  private static final byte ZEROS = 0;

  /** The size of a {@code cudaIpcMemHandle_t}. */
  private static final int HANDLE_SIZE = 64;

  /** What other requests may have left; as a number of any type it is far from 0. */
  private static final byte OTHERS = 0x4B;

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

  @Test
  @Rule("BACKEND-MEMORY-06")
  void writesEveryByteOfTheOutputsThatItClaimsToFill() {
    try (var model = OpenModel.of(backend())) {
      assumeThat(model.fillsOutputs()).as("the model fills its outputs").isTrue();
      var requests = BackendVerification.requests(model.config(), 4);
      for (int times = 0; times < 2; times++) { // the first outputs may lie elsewhere
        var zeros = execute(model, requests, ZEROS);
        var others = execute(model, requests, OTHERS);
        for (int i = 0; i < requests.size(); i++) {
          Tensors.assertSame(others.outputs(i), zeros.outputs(i));
        }
      }
    }
  }

  @Test
  @Rule("BACKEND-MEMORY-08")
  void opensNoMemoryOfClientsUnlessItSaysSo() {
    assumeThat(backend().provider().sharesDeviceMemory()).isFalse();
    assertThat(refusalOfAHandleOfNothing()).isEqualTo(StatusCode.UNSUPPORTED);
  }

  @Test
  @Rule("BACKEND-MEMORY-09")
  void refusesAHandleThatNamesNoMemory() {
    assumeThat(backend().provider().sharesDeviceMemory()).isTrue();
    assertThat(refusalOfAHandleOfNothing()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 6));
      assertThat(execution.violations()).isEmpty();
    }
  }

  /** The code with which the backend refuses a handle of zeros. */
  private StatusCode refusalOfAHandleOfNothing() {
    var tested = backend();
    try (var backend = tested.provider().open(tested.settings())) {
      return assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> backend.openSharedMemory(0, new byte[HANDLE_SIZE], 16).close())
          .actual()
          .code();
    }
  }

  /** Executes requests with outputs in memory of that content. */
  private static OpenModel.Execution execute(
      OpenModel model, List<List<Tensor>> requests, byte fill) {
    try (var batch = new TestBatch(model.config())) {
      requests.forEach(batch::add);
      return model.execute(batch, fill);
    }
  }

  @Test
  @Rule("BACKEND-MEMORY-07")
  void givesMemoryThatEveryThreadMayRead() {
    try (var model = OpenModel.of(backend())) {
      var execution = model.execute(BackendVerification.requests(model.config(), 5));

      assertThat(execution.violations()).isEmpty();
    }
  }
}
