package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.BackendProvider;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.GuardPageArena;
import io.nereid.tck.support.SampleRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Ownership and bounds of memory. */
public abstract class MemoryVerification extends BackendVerification {
  private static final byte ZEROS = 0;

  private static final long PAUSE_NANOS = 20_000_000;

  /** The size of a {@code cudaIpcMemHandle_t}. */
  private static final int HANDLE_SIZE = 64;

  /** What other requests may have left; as a number of any type it is far from 0. */
  private static final byte OTHERS = 0x4B;

  /** What a batch's memory has after it: unlike any value that a model is likely to give. */
  private static final byte NEXT_USER = 0x5A;

  @Rule("BACKEND-MEMORY-01")
  void leavesInputsUntouched() {
    try (var model = open()) {
      for (var requests : List.of(requests(model.config(), 1), equalRequests(model.config(), 1))) {
        var together = model.run(requests).requireSound();
        var alone = model.run(requests.subList(0, 1)).requireSound();

        assertThat(together.inputsUntouched()).as("inputs of a batch are as they were").isTrue();
        assertThat(alone.inputsUntouched()).as("inputs of a request are as they were").isTrue();
      }
    }
  }

  @Rule("BACKEND-MEMORY-02")
  void readsNothingBehindItsInputs() {
    assumeThat(GuardPageArena.isSupported()).isTrue();
    try (var arena = new GuardPageArena();
        var model = open();
        var batch = new TestBatch(model.config(), arena::allocate);
        var single = new TestBatch(model.config(), arena::allocate)) {
      model.execute(batch.addAll(requests(model.config(), 2))).requireSound();
      model.execute(single.add(request(model.config(), 1, 2))).requireSound();
    }
  }

  @Rule("BACKEND-MEMORY-03")
  void keepsNoInputOfABatchThatIsOver() {
    try (var model = open()) {
      var expected = model.run(requests(model.config(), 0)).requireSound();
      for (long seed = 0; seed < 20; seed++) { // each batch's memory ends before the next
        model.run(requests(model.config(), seed)).after("the memory of a batch ended").responses(0);
      }
      try (var first = new TestBatch(model.config())) { // whose memory has another content then
        var requests = requests(model.config(), 0);
        assertSame(model.execute(first.addAll(requests)), expected);
        first.overwrite(NEXT_USER);
        assertSame(model.run(requests).after("the memory of a batch was used again"), expected);
      }
    }
  }

  @Rule("BACKEND-MEMORY-04")
  void leavesWhatItGaveReadableUntilItIsReleased() {
    try (var model = open()) {
      model.run(requests(model.config(), 3)).requireSound();
      holdOver(model, true);
    }
  }

  @Rule("BACKEND-MEMORY-11")
  void leavesWhatItGaveUnchangedWhileLaterBatchesAreExecuted() {
    try (var model = open()) {
      holdOver(model, false);
    }
  }

  /** Holds the responses of a batch while others are executed, as a slow client does. */
  private void holdOver(OpenModel model, boolean smaller) {
    var requests = requests(model.config(), 30);
    model.run(requests).requireSound();
    try (var batch = new TestBatch(model.config());
        var held = model.hold(batch.addAll(requests), ZEROS)) {
      for (int seed = 31; seed < 35; seed++) {
        var next = requests(model.config(), seed);
        model.run(smaller ? next.subList(0, 1) : next);
        held.checkOutputs();
      }
      model.release(held);
      held.execution().requireSound();
    }
  }

  @Rule("BACKEND-MEMORY-12")
  void releasesWhatItGaveOnAnyThread() {
    try (var model = open()) {
      model.run(requests(model.config(), 36)).requireSound();
      assertThat(shortest(CHEAP, () -> release(model)))
          .as("the time of the releases of a batch")
          .isLessThan(CHEAP);
      model.run(requests(model.config(), 37)).after("its outputs were released").responses(0);
    }
  }

  private Duration release(OpenModel model) {
    try (var batch = new TestBatch(model.config()).addAll(equalRequests(model.config(), 36));
        var held = model.hold(batch, ZEROS)) {
      return timed(() -> model.release(held));
    }
  }

  @Rule("BACKEND-MEMORY-13")
  void writesNoOutputOfABatchThatIsOver() {
    try (var model = open();
        var first = new TestBatch(model.config())) {
      var requests = requests(model.config(), 38);
      var expected = model.run(requests).requireSound();
      try (var batch = new TestBatch(model.config());
          var held = model.hold(batch.addAll(requests), ZEROS)) {
        LockSupport.parkNanos(PAUSE_NANOS); // for what runs on other threads
        held.checkOutputs();
        model.release(held);
      }
      try (var held = model.hold(first.addAll(requests), ZEROS)) {
        held.results().overwrite(NEXT_USER);
        for (int times = 0; times < 3; times++) {
          assertSame(model.run(requests), expected);
          LockSupport.parkNanos(PAUSE_NANOS); // for what runs on other threads
        }
        assertThat(held.results().isFilledWith(NEXT_USER))
            .as("memory from Results.allocate is not written after the execution")
            .isTrue();
        model.release(held);
      }
    }
  }

  @Rule("BACKEND-MEMORY-06")
  void writesEveryByteOfTheOutputsThatItClaimsToFill() {
    try (var model = open()) {
      assumeThat(model.fillsOutputs()).as("the model fills its outputs").isTrue();
      assumeThat(isDeterministic()).as("outputs can be compared").isTrue();
      var requests = requests(model.config(), 4);
      List<List<SampleRequest>> batches = new ArrayList<>();
      extremes(model).forEach(request -> batches.add(List.of(request)));
      batches.addAll(List.of(requests, requests.subList(0, 1)));
      for (int times = 0; times < 2; times++) { // the first outputs may lie elsewhere
        for (var batch : batches) {
          var written = execute(model, batch, OTHERS);
          var zeros = execute(model, batch, ZEROS);
          for (int i = 0; i < batch.size(); i++) {
            String what = "memory that held other bytes, as with zeros (not all is written)";
            assertSame(what, written.responses(i), zeros.responses(i));
          }
        }
      }
    }
  }

  @Rule("BACKEND-MEMORY-08")
  void opensNoMemoryOfClientsUnlessItSaysSo() {
    assumeThat(sharesDeviceMemory()).isFalse();
    assertThat(refusalOfAHandleOfNothing()).isEqualTo(StatusCode.UNSUPPORTED);
  }

  @Rule("BACKEND-MEMORY-09")
  void refusesAHandleThatNamesNoMemory() {
    assumeThat(sharesDeviceMemory()).isTrue();
    assertThat(refusalOfAHandleOfNothing()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    requireSound(6);
  }

  private boolean sharesDeviceMemory() {
    return ask("BackendProvider.sharesDeviceMemory", BackendProvider::sharesDeviceMemory);
  }

  /** The code with which the backend refuses a handle of zeros. */
  private StatusCode refusalOfAHandleOfNothing() {
    try (var opened = openBackend()) {
      return assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() ->
              opened
                  .loader()
                  .run(
                      "Backend.openSharedMemory",
                      () ->
                          opened.backend().openSharedMemory(0, new byte[HANDLE_SIZE], 16).close()))
          .actual()
          .code();
    }
  }

  /** Executes requests with outputs in memory of that content. */
  private static ExecutedBatch execute(OpenModel model, List<SampleRequest> requests, byte fill) {
    try (var batch = new TestBatch(model.config())) {
      return model.execute(batch.addAll(requests), fill);
    }
  }

  @Rule("BACKEND-MEMORY-07")
  void givesMemoryThatEveryThreadMayRead() {
    requireSound(5);
  }
}
