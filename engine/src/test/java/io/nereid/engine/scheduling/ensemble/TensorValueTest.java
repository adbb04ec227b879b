package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.SharedLease;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TensorValueTest {
  private static final Shape DIMS = Shape.of(-1, 3);

  /** The shape of a tensor after it was passed on. */
  private static Shape passed(Shape actual, long rows, boolean toBatches) {
    var tensor = new Tensor("t", DataType.INT8, actual, MemorySegment.NULL);
    return new TensorValue(tensor, new SharedLease(() -> {}), rows, null, 1)
        .shapeFor(tensor, DIMS, toBatches);
  }

  @Test
  void betweenModelsOfTheSameKindAShapeIsKept() {
    assertThat(passed(Shape.of(2, 4, 3), 2, true)).isEqualTo(Shape.of(2, 4, 3));
    assertThat(passed(Shape.of(4, 3), 0, false)).isEqualTo(Shape.of(4, 3));
  }

  @Test
  void aTensorWithoutBatchBecomesABatchOfOneIfItIsOfTheDims() {
    assertThat(passed(Shape.of(4, 3), 0, true)).isEqualTo(Shape.of(1, 4, 3));
  }

  @Test
  void aTensorWithoutBatchOfAnotherRankCountsAsABatch() {
    assertThat(passed(Shape.of(5, 4, 3), 0, true)).isEqualTo(Shape.of(5, 4, 3));
  }

  @Test
  void aBatchOfOneLosesItsBatchDimensionBeforeAModelThatDoesNotBatch() {
    assertThat(passed(Shape.of(1, 4, 3), 1, false)).isEqualTo(Shape.of(4, 3));
  }

  @Test
  void aBatchThatFitsTheDimsAsItIsIsKept() {
    assertThat(passed(Shape.of(1, 3), 1, false)).isEqualTo(Shape.of(1, 3));
    assertThat(passed(Shape.of(5, 3), 5, false)).isEqualTo(Shape.of(5, 3));
  }

  @Test
  void aLargerBatchIsPassedOnForTheModelToReject() {
    assertThat(passed(Shape.of(2, 4, 3), 2, false)).isEqualTo(Shape.of(2, 4, 3));
  }

  @Test
  void retainsItsMemoryUntilTheLastUseIsReleased() {
    var freed = new AtomicInteger();
    var memory = new SharedLease(freed::incrementAndGet);
    var value = new TensorValue(null, memory, 0, null, 2);
    memory.release();

    Runnable first = value.take();
    assertThat(value.isUsedUp()).isFalse();
    first.run();
    assertThat(freed).hasValue(0);
    Runnable second = value.take();
    assertThat(value.isUsedUp()).isTrue();
    assertThat(freed).hasValue(0);
    second.run();
    assertThat(freed).hasValue(1);
  }
}
