package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server that loads a TensorRT model, executes a few requests and unloads it, on the doubles of
 * CUDA and TensorRT, with each call of theirs failing in turn: the first and the last of each
 * function, or every one with {@code -Dnereid.inferences=200000}.
 */
@Timeout(600)
class FailingCallsDoubleTest {
  private static final boolean ALL = Integer.getInteger("nereid.inferences", 0) >= 100_000;
  private static final int ILLEGAL_ADDRESS = 700; // cudaErrorIllegalAddress: sticky
  private static final int LAUNCH_OUT_OF_RESOURCES = 701; // not sticky
  private static final List<Shape> SHAPES =
      List.of(Shape.of(1, 4), Shape.of(8, 16), Shape.of(1, 4), Shape.of(1, 4), Shape.of(3, 5));

  private final Doubles doubles = Doubles.compiled();

  @BeforeAll
  static void logLess() {
    Round.LOG.setUseParentHandlers(false);
  }

  @AfterAll
  static void logAgain() {
    Round.LOG.setUseParentHandlers(true);
  }

  @ParameterizedTest
  @CsvSource({
    "101501, " + LAUNCH_OUT_OF_RESOURCES,
    "110100, " + LAUNCH_OUT_OF_RESOURCES,
    "101501, " + ILLEGAL_ADDRESS,
    "110100, " + ILLEGAL_ADDRESS
  })
  void aCallThatFailsIsAClearAnswerAndLeavesNothingBehind(
      int version, int code, @TempDir Path directory) throws IOException {
    doubles.begin(version);
    new RoundModel(new SplittableRandom(2), false).write(directory, version);
    assertThat(run(directory).failures).isEmpty();
    Map<String, Long> calls = doubles.calls();
    assertThat(calls).containsKeys("cudaMemcpyAsync", "IExecutionContext_enqueueV3");

    List<String> wrong = new ArrayList<>();
    calls.forEach((function, count) -> {
      for (long call = 0; call < count; call += ALL ? 1 : Math.max(1, count - 1)) {
        doubles.begin(version);
        doubles.fail(function, call, code);
        try (var log = new LogCapture(Round.LOG.getName(), Level.WARNING)) {
          String fault = function + " " + (call + 1) + " of " + count;
          List<String> found = verified(fault, run(directory));
          wrong.addAll(found);
          wrong.addAll(found.isEmpty() ? List.of() : log.messages());
        }
      }
    });
    assertThat(wrong).isEmpty();
  }

  /** What happened: the failures of the load and of requests. */
  private record Outcome(List<InferenceException> failures, List<String> violations) {}

  private List<String> verified(String fault, Outcome outcome) {
    List<String> wrong = new ArrayList<>(outcome.violations);
    outcome.failures.stream()
        .filter(failure -> !RandomClient.names(failure))
        .forEach(failure -> wrong.add("unclear: " + failure.getMessage()));
    doubles.left().forEach((kind, count) -> wrong.add(count + " " + kind + " left"));
    wrong.addAll(doubles.violations());
    doubles.forgetObjects();
    return wrong.stream().map(each -> fault + ": " + each).toList();
  }

  private Outcome run(Path directory) {
    var outcome = new Outcome(new ArrayList<>(), new ArrayList<>());
    try (var server = new EmbeddedServer(directory, directory.resolve("none"), doubles.options())) {
      LoadedModel model;
      try {
        model = server.load(RoundModel.NAME);
      } catch (InferenceException failed) {
        outcome.failures.add(failed);
        return outcome;
      }
      for (Shape shape : SHAPES) {
        infer(server, model, shape, outcome);
      }
      server.unload(RoundModel.NAME);
    }
    return outcome;
  }

  private static void infer(
      EmbeddedServer server, LoadedModel model, Shape shape, Outcome outcome) {
    float[] data = new float[Math.toIntExact(shape.elementCount())];
    for (int i = 0; i < data.length; i++) {
      data[i] = i;
    }
    Answer answer =
        server
            .submit(
                model,
                List.of(
                    new Tensor("INPUT0", DataType.FP32, shape, MemorySegment.ofArray(data)),
                    new Tensor("INPUT1", DataType.FP32, shape, MemorySegment.ofArray(data))))
            .await();
    InferenceException failure = answer.failure();
    if (failure != null) {
      outcome.failures.add(failure);
    }
    try (InferenceResponse response = answer.response()) {
      if (response != null) {
        Tensor sum = response.output("OUTPUT0").orElseThrow();
        for (int i = 0; i < data.length; i++) {
          float value = sum.data().get(Elements.FLOAT, (long) i * Float.BYTES);
          if (value != 2 * data[i]) {
            outcome.violations.add("element %d of %s is %s".formatted(i, shape, value));
            break;
          }
        }
      }
    }
  }
}
