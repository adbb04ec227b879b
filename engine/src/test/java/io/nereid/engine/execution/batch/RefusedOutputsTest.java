package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.logging.Level;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a backend does wrong, and which requests of the batch fail then. */
class RefusedOutputsTest extends TwoRequests {
  private void assertAllFail(BatchResults results, String sentence, ThrowingCallable call) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessage(OUT + sentence);
    results.deliver();
    for (TestRequest request : requests) {
      assertThat(request.outcome().failure()).hasMessage(OUT + sentence);
      assertThat(request.outcome().failure().code()).isEqualTo(StatusCode.INTERNAL);
    }
  }

  @Test
  void aResponseWithoutAnyOutputIsAWarningOnce() {
    try (var log = new LogCapture(DeclaredOutputs.class.getName())) {
      results(DataType.INT32).deliver();
      requests.forEach(request -> request.outcome().response().close());
      assertThat(log.messages())
          .containsExactly(
              "[request id: a] backend 'b', model 'm', version 1: a response has no output,"
                  + " expected 'OUT', 'OTHER'");
      assertThat(log.records().getFirst().getLevel()).isEqualTo(Level.WARNING);
    }
  }

  @Test
  void noWarningIsDueForACancelledRequestOrAPartOfTheOutputs() {
    try (var log = new LogCapture(DeclaredOutputs.class.getName())) {
      BatchResults results = results(DataType.INT32);
      put(results, 0, "OUT", 1);
      requests.getLast().pending().promise().cancel();
      results.deliver();
      requests.forEach(request -> request.outcome().awaitAndClose());
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void aBatchOfAnotherTypeFailsAllRequests() {
    BatchResults results = results(DataType.INT32);
    assertAllFail(
        results,
        "type FP32, expected INT32",
        () -> results.allocateBatch("OUT", DataType.FP32, Shape.of(3, 1)));
  }

  @Test
  void aBatchOfAnotherShapeFailsAllRequests() {
    BatchResults results = results(DataType.INT32);
    assertAllFail(
        results,
        "shape [3,2], expected [3,1]",
        () -> results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 2)));
  }

  @Test
  void aBatchThatIsNotDeclaredFailsAllRequests() {
    BatchResults results = results(DataType.INT32);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> results.allocateBatch("X", DataType.INT32, Shape.of(3, 1)))
        .withMessageEndingWith(
            "output 'X': not declared by the model, expected one of 'OUT', 'OTHER'");
    results.deliver();
    assertThat(requests.getLast().outcome().failure()).hasMessageContaining("output 'X'");
  }

  @Test
  void aBatchThatIsGivenTwiceFailsAllRequests() {
    BatchResults results = results(DataType.INT32);
    results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 1));
    assertAllFail(
        results,
        "given twice, expected once",
        () -> results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 1)));
  }

  @Test
  void aGivenBatchOfAnotherSizeIsReleasedOnce() {
    BatchResults results = results(DataType.INT32);
    var output = new Tensor("OUT", DataType.INT32, Shape.of(3, 1), Arena.ofAuto().allocate(8));
    assertAllFail(
        results,
        "8 bytes, expected 12 for the shape [3,1] of INT32",
        () -> results.giveBatch(output, released::incrementAndGet));
    assertThat(released).hasValue(1);
  }

  @Test
  void aGivenBatchInConfinedMemoryIsReleasedOnce() {
    BatchResults results = results(DataType.INT32);
    try (Arena confined = Arena.ofConfined()) {
      var output = new Tensor("OUT", DataType.INT32, Shape.of(3, 1), confined.allocate(12));
      assertAllFail(
          results,
          "memory of a confined arena, expected memory that every thread may read",
          () -> results.giveBatch(output, released::incrementAndGet));
    }
    assertThat(released).hasValue(1);
  }

  @Test
  void aGivenBatchOfMalformedBytesIsReleasedOnce() {
    BatchResults results = results(DataType.BYTES);
    MemorySegment data = Arena.ofAuto().allocate(12);
    data.set(Elements.INT, 4, 5);
    assertAllFail(
        results,
        "a length of 5 bytes of element 1 of BYTES, expected at most the 4 bytes that follow it",
        () ->
            results.giveBatch(
                new Tensor("OUT", DataType.BYTES, Shape.of(3, 1), data),
                released::incrementAndGet));
    assertThat(released).hasValue(1);
  }

  @Test
  void theMemoryOfARefusedRequestCanBeWrittenUntilTheExecutionEnds() {
    BatchResults results = results(DataType.INT32);
    MemorySegment right = results.allocate(0, "OTHER", DataType.INT32, Shape.of(1, 1), 4);
    MemorySegment wrong = results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 9), 36);
    put(results, 1, "OUT", 7, 8);

    right.fill((byte) 1); // throws if the memory was released
    wrong.fill((byte) 1);

    assertFirstFails(results, OUT + "shape [1,9], expected [1,1]");
  }

  @Test
  void laterCallsForARefusedRequestHaveNoEffect() {
    BatchResults results = results(DataType.INT32);
    results.allocate(0, "OUT", DataType.FP32, Shape.of(1, 1), 4);

    put(results, 0, "OUT", 1);
    results.give(0, Tensors.ints("OUT", Shape.of(1, 1), 1), released::incrementAndGet);
    results.parameter(0, "key", new Parameter.OfLong(1));
    results.fail(0, InferenceException.invalid("another reason"));
    results.send(0);
    results.send(0);

    assertThat(released).hasValue(1);
    assertFirstFails(results, OUT + "type FP32, expected INT32");
  }

  @Test
  void laterCallsForARefusedRequestOfADecoupledModelHaveNoEffect() {
    BatchResults results =
        results(
            ModelConfig.of("m", "b")
                .withSignature(
                    8, List.of(), List.of(TensorConfig.of("OUT", DataType.INT32, Shape.of(1))))
                .withDecoupled(true));
    results.allocate(0, "OUT", DataType.FP32, Shape.of(1, 1), 4);
    assertThat(requests.getFirst().outcome().calls()).isEqualTo(1);

    put(results, 0, "OUT", 1);
    results.send(0);
    results.finish(0);
    results.deliver();

    assertThat(requests.getFirst().outcome().failure())
        .hasMessage(OUT + "type FP32, expected INT32");
  }
}
