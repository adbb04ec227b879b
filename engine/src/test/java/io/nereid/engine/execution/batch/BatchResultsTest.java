package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchResultsTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final List<TestRequest> requests = new ArrayList<>();
  private final AtomicInteger released = new AtomicInteger();
  private ModelConfig config = declaring(TensorConfig.of("OUT", DataType.INT32, Shape.of(-1)));

  /** Every request has one outcome, and no lease is outstanding once responses are closed. */
  @AfterEach
  void everyRequestEndedOnce() {
    for (TestRequest request : requests) {
      assertThat(request.outcome().calls()).isEqualTo(1);
      assertThat(request.ended()).hasValue(1);
    }
    assertThat(pool.outstanding()).isZero();
  }

  private BatchResults results(TestRequest... batch) {
    requests.addAll(List.of(batch));
    return TestRequest.results(config, requests.stream().map(TestRequest::pending).toList(), pool);
  }

  private TestRequest request(String id, long rows, String... outputs) {
    return TestRequest.of(pool, id, rows, List.of(outputs));
  }

  private InferenceResponse response(int index) {
    return requests.get(index).outcome().response();
  }

  private static Tensor output(InferenceResponse response) {
    return response.outputs().getFirst();
  }

  private static ModelConfig declaring(TensorConfig... outputs) {
    return ModelConfig.of("m", "b").withSignature(8, List.of(), List.of(outputs));
  }

  private void declare(String... outputs) {
    config =
        declaring(
            Stream.of(outputs)
                .map(name -> TensorConfig.of(name, DataType.INT32, Shape.of(-1)))
                .toArray(TensorConfig[]::new));
  }

  private void declareReshaped(Shape dims, Shape reshape) {
    config = declaring(Tensors.reshaped("OUT", dims, reshape));
  }

  @Test
  void splitsABatchOutputByRowsAndFreesItWithTheLastResponse() {
    BatchResults results = results(request("a", 1, "OUT"), request("b", 2, "OUT"));

    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 2)), 1, 2, 3, 4, 5, 6);
    results.deliver();

    InferenceResponse a = response(0);
    InferenceResponse b = response(1);
    assertThat(a.id()).isEqualTo("a");
    assertThat(output(a).shape()).isEqualTo(Shape.of(1, 2));
    assertThat(Tensors.values(output(a))).containsExactly(1, 2);
    assertThat(output(b).shape()).isEqualTo(Shape.of(2, 2));
    a.close();
    assertThat(Tensors.values(output(b))).containsExactly(3, 4, 5, 6);
    assertThat(pool.outstanding()).isEqualTo(1);
    b.close();
  }

  @Test
  void splitsABatchOutputOfStringsByElements() {
    config = declaring(TensorConfig.of("OUT", DataType.BYTES, Shape.of(1)));
    BatchResults results = results(request("a", 2, "OUT"), request("b", 1, "OUT"));
    results.giveBatch(
        Tensors.texts("OUT", Shape.of(3, 1), "one", "", "three"), released::incrementAndGet);
    results.deliver();

    InferenceResponse a = response(0);
    InferenceResponse b = response(1);
    assertThat(Tensors.texts(output(a))).containsExactly("one", "");
    assertThat(Tensors.texts(output(b))).containsExactly("three");
    a.close();
    b.close();
    assertThat(released).hasValue(1);
  }

  @Test
  void respondsWithRequestedOutputsOnly() {
    declare("OUT0", "OUT1", "OUT2");
    BatchResults results = results(request("a", 1, "OUT0"), request("b", 1, "OUT1"));
    assertThat(results.wants("OUT0")).isTrue();
    assertThat(results.wants("OUT1")).isTrue();
    assertThat(results.wants("OUT2")).isFalse();
    assertThat(results.wants(0, "OUT1")).isFalse();

    for (String output : List.of("OUT0", "OUT1", "OUT2")) {
      results.allocateBatch(output, DataType.INT32, Shape.of(2, 1)).fill((byte) 1);
    }
    results.allocate(0, "OUT1", DataType.INT32, Shape.of(1, 1), 4).fill((byte) 2);
    results.give(0, Tensors.ints("OUT1", Shape.of(1, 1), 3), released::incrementAndGet);
    assertThat(released).hasValue(1);
    results.deliver();

    for (int i = 0; i < 2; i++) {
      InferenceResponse response = response(i);
      assertThat(response.outputs()).extracting(Tensor::name).containsExactly("OUT" + i);
      response.close();
    }
  }

  @Test
  void respondsWithTheDeclaredShapeOfAReshapedOutput() {
    declareReshaped(Shape.of(1), Shape.of());
    BatchResults results = results(request("a", 1, "OUT"), request("b", 2, "OUT"));
    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(3)), 1, 2, 3);
    results.deliver();

    InferenceResponse b = response(1);
    assertThat(output(b).shape()).isEqualTo(Shape.of(2, 1));
    assertThat(Tensors.values(output(b))).containsExactly(2, 3);
    b.close();
    response(0).close();
  }

  @Test
  void aFailedRequestDoesNotAffectTheOthers() {
    BatchResults results =
        results(request("a", 1, "OUT"), request("b", 1, "OUT"), request("c", 1, "OUT"));
    Tensors.fill(results.allocateBatch("OUT", DataType.INT32, Shape.of(3, 1)), 1, 2, 3);
    results.fail(1, InferenceException.invalid("bad"));
    results.parameter(0, "key", new Parameter.OfLong(5));
    results.deliver();

    assertThat(requests.get(1).outcome().failure()).hasMessage("bad");
    InferenceResponse a = response(0);
    assertThat(a.parameters()).containsEntry("key", new Parameter.OfLong(5));
    a.close();
    response(2).close();
  }

  @Test
  void aFailedExecutionFailsRequestsThatHaveNotEnded() {
    BatchResults results = results(request("a", 1, "OUT"), request("b", 1, "OUT"));
    results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 4);
    results.allocate(1, "OUT", DataType.INT32, Shape.of(1, 1), 4);
    results.send(0);
    results.failAll(InferenceException.internal("the model is gone"));
    results.deliver();

    response(0).close();
    assertThat(requests.get(1).outcome().failure()).hasMessage("the model is gone");
  }

  @Test
  void failsAndFreesAnOutputWithTooFewRows() {
    BatchResults results = results(request("a", 1, "OUT"), request("b", 2, "OUT"));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            results.giveBatch(Tensors.ints("OUT", Shape.of(2, 1), 1, 2), released::incrementAndGet))
        .withMessage(
            "backend 'b', model 'm', version 1, output 'OUT': shape [2,1], expected [3,-1]");
    assertThat(released).hasValue(1);
    results.deliver();
  }

  @Test
  void failsAndFreesAnOutputThatCannotBeReshaped() {
    declareReshaped(Shape.of(-1, 1), Shape.of(-1));
    BatchResults results = results(request("a", 1, "OUT"), request("b", 1, "OUT"));

    results.give(0, Tensors.ints("OUT", Shape.of(2), 1, 2), released::incrementAndGet);
    assertThat(released).hasValue(1);
    results.allocate(1, "OUT", DataType.INT32, Shape.of(2), 8);
    results.deliver();

    for (TestRequest request : requests) {
      assertThat(request.outcome().failure())
          .hasMessage(
              "backend 'b', model 'm', version 1, output 'OUT': shape [2], expected [1,-1]");
    }
  }

  @Test
  void rejectsStringsWithoutAByteSize() {
    BatchResults results = results(request("a", 1, "OUT"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> results.allocateBatch("OUT", DataType.BYTES, Shape.of(1)));
    assertThatIllegalStateException().isThrownBy(() -> results.finish(0));
    results.deliver();
    response(0).close();
  }

  @Test
  void freesTheOutputsOfACancelledRequest() {
    BatchResults results = results(request("a", 1, "OUT"));
    results.allocateBatch("OUT", DataType.INT32, Shape.of(1, 1));
    requests.getFirst().pending().promise().cancel();
    results.deliver();
  }

  @Test
  void freesOutputsThatAreAddedAfterTheEnd() {
    BatchResults results = results(request("a", 1, "OUT"));
    results.send(0);
    results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 4);
    results.give(0, Tensors.ints("OUT", Shape.of(1, 1), 1), released::incrementAndGet);
    assertThat(released).hasValue(1);
    results.deliver();

    InferenceResponse response = response(0);
    assertThat(response.outputs()).isEmpty();
    response.close();
  }
}
