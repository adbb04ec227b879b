package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.BatchInput;
import io.nereid.config.BatchInput.Kind;
import io.nereid.config.BatchOutput;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code batch_input} and {@code batch_output}: {@link BatchInputs} and {@link OutputSplit}. */
class BatchInputsTest extends GatheredRequests {
  /** A request whose {@code A} has that shape, its elements counted up from {@code first}. */
  private void request(int first, long... shape) {
    int[] values = IntStream.range(first, first + (int) Shape.of(shape).elementCount()).toArray();
    requests.add(
        TestRequest.of(
            pool, "r" + requests.size(), shape[0], Tensors.ints("A", Shape.of(shape), values)));
  }

  private static ModelConfig config(int maxBatchSize, Shape dims, BatchInput... computed) {
    return config(maxBatchSize, Tensors.config("A", dims, Optional.empty(), true, false), computed);
  }

  private static ModelConfig config(int maxBatchSize, TensorConfig input, BatchInput... computed) {
    return ModelConfig.of("m", "b").toBuilder()
        .maxBatchSize(maxBatchSize)
        .inputs(input)
        .outputs(TensorConfig.of("OUT", DataType.INT32, input.dims()))
        .batchInputs(List.of(computed))
        .batchOutputs(List.of(new BatchOutput("OUT", "A")))
        .build();
  }

  private static BatchInput computed(Kind kind, DataType type) {
    return new BatchInput(kind, List.of("B", "ALSO"), type, "A");
  }

  private static String shown(Tensor tensor) {
    var text = new StringBuilder(tensor.shape().toString()).append(':');
    for (long at = 0; at < tensor.byteSize(); at += 4) {
      text.append(' ');
      if (tensor.dataType() == DataType.FP32) {
        text.append(tensor.data().get(Elements.FLOAT, at));
      } else {
        text.append(tensor.data().get(Elements.INT, at));
      }
    }
    return text.toString();
  }

  /** One row of 2x3, two rows of 1x4 and one row of 5x0. */
  private void threeRequests() {
    request(0, 1, 2, 3);
    request(6, 2, 1, 4);
    request(14, 1, 5, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BATCH_ELEMENT_COUNT                       | INT32 | [3]: 6 8 0
          BATCH_ELEMENT_COUNT                       | FP32  | [3]: 6.0 8.0 0.0
          BATCH_ACCUMULATED_ELEMENT_COUNT           | INT32 | [3]: 6 14 14
          BATCH_ACCUMULATED_ELEMENT_COUNT           | FP32  | [3]: 6.0 14.0 14.0
          BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO | INT32 | [4]: 0 6 14 14
          BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO | FP32  | [4]: 0.0 6.0 14.0 14.0
          BATCH_ITEM_SHAPE                          | INT32 | [4,2]: 2 3 1 4 1 4 5 0
          BATCH_ITEM_SHAPE                          | FP32  | [4,2]: 2.0 3.0 1.0 4.0 1.0 4.0 5.0 0.0
          BATCH_ITEM_SHAPE_FLATTEN                  | INT32 | [8]: 2 3 1 4 1 4 5 0
          BATCH_ITEM_SHAPE_FLATTEN                  | FP32  | [8]: 2.0 3.0 1.0 4.0 1.0 4.0 5.0 0.0
          """)
  void computesEachKindOfBatchInput(Kind kind, DataType type, String expected) {
    threeRequests();
    var config = config(8, Shape.of(-1, -1), computed(kind, type));

    RequestBatch batch = batch(config);

    assertThat(shown(batch.gathered("B").orElseThrow())).isEqualTo(expected);
    Tensor other = batch.gathered("ALSO").orElseThrow();
    assertThat(other.name()).isEqualTo("ALSO");
    assertThat(other.dataType()).isEqualTo(type);
    assertThat(shown(other)).isEqualTo(expected);
    assertThat(batch.input(0, "B")).as("belongs to the batch").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"INT32", "FP32"})
  void describesTheLargestRequestByAShape(DataType type) {
    threeRequests();
    var kind = Kind.BATCH_MAX_ELEMENT_COUNT_AS_SHAPE;
    var config = config(8, Shape.of(-1, -1), computed(kind, type));

    Tensor max = batch(config).gathered("B").orElseThrow();

    assertThat(max.shape()).isEqualTo(Shape.of(8));
    assertThat(max.data().toArray(Elements.BYTE)).containsOnly(0).hasSize(32);
  }

  @ParameterizedTest
  @CsvSource({
    "BATCH_ELEMENT_COUNT,[1]: 6",
    "BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,'[2]: 0 6'",
    "BATCH_ITEM_SHAPE,'[1,2]: 2 3'"
  })
  void computesBatchInputsOfASingleRequest(Kind kind, String expected) {
    request(0, 1, 2, 3);
    RequestBatch batch = batch(config(8, Shape.of(-1, -1), computed(kind, DataType.INT32)));

    assertThat(shown(batch.gathered("B").orElseThrow())).isEqualTo(expected);
  }

  @Test
  void listsReshapedShapes() {
    request(0, 2, 4);
    var reshaped = Tensors.config("A", Shape.of(-1), Optional.of(Shape.of(1, -1, 1)), true, false);
    var config = config(8, reshaped, computed(Kind.BATCH_ITEM_SHAPE, DataType.INT32));

    assertThat(shown(batch(config).gathered("B").orElseThrow())).isEqualTo("[2,3]: 1 4 1 1 4 1");
  }

  @Test
  void listsTheWholeShapeWithoutABatchDimension() {
    request(0, 2, 3);
    var config = config(0, Shape.of(-1, -1), computed(Kind.BATCH_ITEM_SHAPE, DataType.INT32));

    assertThat(shown(batch(config).gathered("B").orElseThrow())).isEqualTo("[1,2]: 2 3");
  }

  @ParameterizedTest
  @CsvSource({
    "BATCH_ACCUMULATED_ELEMENT_COUNT,'[2]: 0 3'",
    "BATCH_ITEM_SHAPE,'[1,1]: 3'",
    "BATCH_ITEM_SHAPE_FLATTEN,[1]: 3"
  })
  void aRequestWithoutTheSourceHasNoElements(Kind kind, String expected) {
    requests.add(TestRequest.of(pool, "none", 1));
    request(0, 1, 3);
    RequestBatch batch = batch(config(8, Shape.of(-1), computed(kind, DataType.INT32)));

    assertThat(shown(batch.gathered("B").orElseThrow())).isEqualTo(expected);
  }

  private BatchResults results(Shape dims) {
    List<TestRequest> both = List.copyOf(requests);
    requests.clear(); // the results close the requests
    var config = config(8, dims);
    return TestRequest.results(config, TestRequest.batch(config, both, gatherBuffers), pool, null);
  }

  @Test
  void splitsAnOutputByTheShapesOfItsSource() {
    request(0, 1, 3);
    request(3, 2, 2);
    request(7, 1, 0);
    List<TestRequest> sent = List.copyOf(requests);
    BatchResults results = results(Shape.of(-1));

    Tensors.fill(
        results.allocateBatch("OUT", DataType.INT32, Shape.of(8)), 10, 11, 12, 13, 14, 15, 16, 99);
    results.deliver();

    assertThat(sent)
        .extracting(request -> shown(request.outcome().response().outputs().getFirst()))
        .containsExactly("[1,3]: 10 11 12", "[2,2]: 13 14 15 16", "[1,0]:");
    sent.forEach(request -> request.outcome().response().close());
  }

  @Test
  void respondsToASingleRequestWithItsShape() {
    request(0, 2, 2);
    List<TestRequest> sent = List.copyOf(requests);
    BatchResults results = results(Shape.of(-1));

    results.giveBatch(Tensors.ints("OUT", Shape.of(4), 1, 2, 3, 4), () -> {});
    results.deliver();

    var response = sent.getFirst().outcome().response();
    assertThat(shown(response.outputs().getFirst())).isEqualTo("[2,2]: 1 2 3 4");
    response.close();
  }

  @Test
  void keepsFixedDimensionsOfAnOutput() {
    request(0, 1, 3);
    request(3, 2, 2);
    List<TestRequest> sent = List.copyOf(requests);
    BatchResults results = results(Shape.of(1));

    results.giveBatch(Tensors.ints("OUT", Shape.of(3), 1, 2, 3), () -> {});
    results.deliver();

    assertThat(sent)
        .extracting(request -> shown(request.outcome().response().outputs().getFirst()))
        .containsExactly("[1,1]: 1", "[2,1]: 2 3");
    sent.forEach(request -> request.outcome().response().close());
  }

  @Test
  void failsForAnOutputThatIsTooSmall() {
    request(0, 1, 3);
    request(3, 2, 2);
    BatchResults results = results(Shape.of(-1));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(
            () -> results.giveBatch(Tensors.ints("OUT", Shape.of(6), 1, 2, 3, 4, 5, 6), () -> {}))
        .withMessage(
            "backend 'b', model 'm', version 1, output 'OUT': 6 elements in the shape [6], expected"
                + " at least 7 for the requests of the batch");
    results.deliver();
  }

  @Test
  void failsForAnOutputWhoseSourceARequestLacks() {
    requests.add(TestRequest.of(pool, "none", 1));
    BatchResults results = results(Shape.of(-1));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> results.giveBatch(Tensors.ints("OUT", Shape.of(1), 1), () -> {}))
        .withMessageContaining("a request has no input 'A'");
    results.failAll(InferenceException.internal("split"));
    results.deliver();
  }
}
