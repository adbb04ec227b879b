package io.nereid.engine.request.validation;

import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The shapes of inputs that fit a model. The texts are Triton's. */
class InputShapesTest extends ValidatedRequests {
  @Test
  void rejectsAnInputWithoutBatchDimensionForABatchingModel() {
    assertRejected(
        batching,
        "[request id: r1] input 'A' has no shape but model requires batch dimension for 'm'",
        tensor("A", DataType.FP32, 4),
        goodB(1));
  }

  @Test
  void comparesBatchSizesAsLongs() {
    long rows = (1L << 32) + 1; // 1 in 32 bits
    assertRejected(
        batching,
        "[request id: r1] inference request batch-size must be <= 8 for 'm', got 4294967297",
        tensor("A", DataType.FP32, 32, rows, 4, 2),
        tensor("B", DataType.INT32, 12, rows, 3));
  }

  @Test
  void comparesTheWholeShapeForAModelThatDoesNotBatch() {
    RequestValidator plain = validator(0, a);

    assertAccepted(plain, tensor("A", DataType.FP32, 800, 100, 2));
    assertRejected(
        plain,
        "[request id: r1] unexpected shape for input 'A' for model 'm'. Expected [-1,2], got"
            + " [1,4,2]. ",
        goodA(1));
  }

  @Test
  void rowsForAModelOfOneRowAreSaidToNeedABatchSize() {
    assertRejected(
        validator(0, b),
        "[request id: r1] unexpected shape for input 'B' for model 'm'. Expected [3], got [2,3]."
            + " NOTE: max_batch_size in the model config is 0, so the input has no dimension of"
            + " rows. If you want to send several rows, try setting max_batch_size to the most of"
            + " them.",
        goodB(2));
  }

  @Test
  void aShapeTensorHasNoBatchDimension() {
    RequestValidator shaped = validator(8, a, with(b, false, true));

    assertAccepted(shaped, goodA(2), tensor("B", DataType.INT32, 12, 3));
    assertRejected(
        shaped,
        "[request id: r1] unexpected shape for input 'B' for model 'm'. Expected [3], got [2,3]. "
            + NOTE,
        goodA(2),
        goodB(2));
  }

  @Test
  void rejectsAnOpenDimension() {
    assertRejected(
        batching,
        "[request id: r1] All input dimensions should be specified for input 'A' for model 'm', got"
            + " [1,-1,2]",
        tensor("A", DataType.FP32, 8, 1, -1, 2),
        goodB(1));
  }

  @Test
  void acceptsZeroForAWildcard() {
    assertAccepted(batching, tensor("A", DataType.FP32, 0, 1, 0, 2), goodB(1));
  }

  @Test
  void rejectsAShapeWhoseByteSizeOverflows() {
    Shape huge = Shape.of(1, Long.MAX_VALUE / 2, 2);
    assertRejected(
        batching,
        "[request id: r1] shape [1,4611686018427387903,2] of input 'A' for model 'm' exceeds the"
            + " maximum byte size of 9223372036854775807",
        new Tensor("A", DataType.FP32, huge, MemorySegment.NULL),
        goodB(1));
  }

  @Test
  void rejectsAShapeOfStringsWhoseElementCountOverflows() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(-1, -1)));
    Shape huge = Shape.of(Long.MAX_VALUE, 3);
    assertRejected(
        texts,
        "[request id: r1] shape [9223372036854775807,3] of input 'S' for model 'm' exceeds the"
            + " maximum byte size of 9223372036854775807",
        new Tensor("S", DataType.BYTES, huge, MemorySegment.NULL));
  }

  @Test
  void comparesTheShapeBeforeItsReshape() {
    RequestValidator reshaped =
        validator(
            8,
            new TensorConfig(
                "A",
                DataType.FP32,
                Shape.of(4),
                Optional.of(Shape.of(2, 2)),
                false,
                false,
                false,
                TensorConfig.Format.FORMAT_NONE,
                ""));

    assertAccepted(reshaped, tensor("A", DataType.FP32, 32, 2, 4));
    assertRejected(
        reshaped,
        "[request id: r1] unexpected shape for input 'A' for model 'm'. Expected [-1,4], got"
            + " [2,2,2]. "
            + NOTE,
        tensor("A", DataType.FP32, 32, 2, 2, 2));
  }
}
