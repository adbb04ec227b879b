package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Calls of a backend that no correct backend makes: without a value, out of range, or that throw.
 */
class MisusedResultsTest extends TwoRequests {
  @Test
  void memoryOfANegativeSizeFailsAllRequests() {
    BatchResults results = results(DataType.BYTES);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> results.allocate(0, "OUT", DataType.BYTES, Shape.of(1, 1), -1))
        .withMessage(OUT + "-1 bytes, expected 0 or more for the shape [1,1] of BYTES");

    results.failAll(InferenceException.internal("thrown by execute"));
    results.deliver();
    assertThat(requests.getLast().outcome().failure()).hasMessage("thrown by execute");
  }

  @Test
  void aRequestThatIsFailedWithoutAReasonStillGetsAnOutcome() {
    BatchResults results = results(DataType.INT32);
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> results.fail(0, absent(InferenceException.class)));

    results.failAll(InferenceException.internal("thrown by execute"));
    results.deliver();
    assertThat(requests.getFirst().outcome().failure()).hasMessage("thrown by execute");
  }

  @Test
  void aRequestWithAParameterWithoutAValueStillGetsAnOutcome() {
    BatchResults results = results(DataType.INT32);
    assertThatExceptionOfType(NullPointerException.class)
        .isThrownBy(() -> results.parameter(0, "key", absent(Parameter.class)));

    results.deliver();
    requests.forEach(request -> request.outcome().response().close());
  }

  @Test
  void incompleteTensorsFailTheExecutionAndAreReleased() {
    BatchResults results = results(DataType.INT32);
    MemorySegment data = Arena.ofAuto().allocate(4);
    List<Tensor> incomplete =
        List.of(
            new Tensor(absent(String.class), DataType.INT32, Shape.of(1, 1), data),
            new Tensor("OUT", DataType.INT32, absent(Shape.class), data),
            new Tensor("OUT", DataType.INT32, Shape.of(1, 1), absent(MemorySegment.class)));
    for (Tensor tensor : incomplete) {
      assertThatExceptionOfType(NullPointerException.class)
          .isThrownBy(() -> results.give(0, tensor, released::incrementAndGet));
    }
    assertThat(released).hasValue(3);

    results.failAll(InferenceException.internal("thrown by execute"));
    results.deliver();
    assertThat(requests.getFirst().outcome().failure()).hasMessage("thrown by execute");
  }

  @Test
  void aTensorWithoutATypeFailsItsRequest() {
    BatchResults results = results(DataType.INT32);
    MemorySegment data = Arena.ofAuto().allocate(4);
    results.give(
        0,
        new Tensor("OUT", absent(DataType.class), Shape.of(1, 1), data),
        released::incrementAndGet);

    assertThat(released).hasValue(1);
    assertFirstFails(results, OUT + "type null, expected INT32");
  }

  /** What a backend that is not checked for null may pass. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T absent(Class<T> type) {
    @Nullable T none = null;
    return type.cast(none);
  }

  @Test
  void aReleaseThatThrowsDoesNotKeepOtherMemory() {
    BatchResults results = results(DataType.INT32);
    results.give(
        0,
        Tensors.ints("OUT", Shape.of(1, 1), 1),
        () -> {
          throw new IllegalStateException("a defect of the backend");
        });
    put(results, 0, "OTHER", 2);
    results.deliver();

    requests.forEach(request -> request.outcome().response().close());
  }

  @Test
  void aNameOfAnyLengthIsCutOffInTheMessage() {
    BatchResults results = results(DataType.INT32);
    results.allocate(0, "X".repeat(1 << 20), DataType.INT32, Shape.of(1, 1), 4);
    results.deliver();

    assertThat(requests.getFirst().outcome().failure().getMessage()).hasSizeLessThan(300);
    requests.getLast().outcome().response().close();
  }

  @Test
  void anIndexBeyondTheBatchFailsTheExecution() {
    BatchResults results = results(DataType.INT32);
    for (int index : List.of(-1, 2, Integer.MAX_VALUE)) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> put(results, index, "OUT", 1));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> results.send(index));
    }
    results.deliver();
    requests.forEach(request -> request.outcome().response().close());
  }
}
