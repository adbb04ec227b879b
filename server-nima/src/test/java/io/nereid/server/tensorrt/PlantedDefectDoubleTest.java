package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rounds of {@link TensorRtRoundsDoubleTest} find defects: each is planted in the bytecode of
 * the backend, and a round must fail.
 */
@Timeout(600)
class PlantedDefectDoubleTest {
  private static final int MAX_ROUNDS = 16;
  private static final int REQUESTS = 300;

  private final Doubles doubles = Doubles.compiled();

  @BeforeAll
  static void logLess() {
    Round.LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    Round.LOG.setLevel(null);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "missing wait for inputs,   element|copy runs|NotReady, execution/TensorRtInstance, enqueue, CudaStream.await, 0",
    "missing wait for outputs,  element|copy runs|NotReady, execution/TensorRtInstance, enqueue, CudaStream.await, 1",
    "missing record of inputs,  element|copy runs|NotReady, execution/InputCopies,      enqueue,    CudaEvent.record, 0",
    "missing wait for copies,   element|copy runs|NotReady, execution/TensorRtInstance, finish,  CudaEvent.synchronize, 0",
    "buffer reused too early,   element,   cuda/PinnedPool,            tryLease, ArrayDeque.pollLast=peekLast, 0",
    "leaked lease,              page-lock, execution/BatchBuffers,     end,     PinnedPool$Buffer.close, 0",
    "leaked device memory,      freed,     cuda/DeviceBuffer,          free,    Cudart.cudaFreeAsync, 0",
    "leaked page-locked memory, page-lock, cuda/PinnedMemory,          release, Cudart.cudaFreeHost, 0",
    "leaked event,              events,    cuda/CudaEvent,             close,   Cudart.cudaEventDestroy, 0",
    "leaked stream,             streams,   cuda/CudaStream,            close,   Cudart.cudaStreamDestroy, 0",
    "leaked graph,              graph,     cuda/CudaGraph,             close,   Cudart.cudaGraphExecDestroy, 0",
    "swapped slot,              an output, engine/EngineReader,        tensor,  EngineMethods.getTensorIOMode=getTensorLocation, 0",
    "leaked context,            IExecutio, engine/ExecutionContext,    close,   NativeObject.close, 0"
  })
  void aRoundFailsWithADefect(
      String defect,
      String shown,
      String in,
      String method,
      String call,
      int index,
      @TempDir Path directory)
      throws IOException {
    Path backends = directory.resolve("backends");
    new PlantedDefect(in, method, call, index).write(backends);
    assertThat(failures(directory, backends, shown)).as(defect).containsPattern(shown);
  }

  @Test
  void theSameRoundsSucceedWithoutADefect(@TempDir Path directory) throws IOException {
    Path backends = directory.resolve("backends");
    PlantedDefect.NONE.write(backends);
    for (long seed = 0; seed < MAX_ROUNDS; seed++) {
      new Round(doubles, directory.resolve("models" + seed), backends, true, seed).run(REQUESTS);
    }
  }

  private static boolean found(CharSequence failures, String wanted) {
    return Pattern.compile(wanted).matcher(failures).find();
  }

  /** The failures of rounds, until one contains a match of {@code wanted}. */
  private String failures(Path directory, Path backends, String wanted) throws IOException {
    var failures = new StringBuilder();
    for (long seed = 0; seed < MAX_ROUNDS && !found(failures, wanted); seed++) {
      try {
        new Round(doubles, directory.resolve("models" + seed), backends, true, seed).run(REQUESTS);
      } catch (AssertionError | InferenceException failed) {
        failures.append(failed.getMessage()).append(' ').append(failed.getCause()).append('\n');
      } finally {
        doubles.forgetObjects();
      }
    }
    return failures.toString();
  }
}
