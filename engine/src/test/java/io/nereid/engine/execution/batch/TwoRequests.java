package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** The results of two requests, which a backend may misuse. */
abstract class TwoRequests {
  static final String OUT = "backend 'b', model 'm', version 1, output 'OUT': ";

  final CheckedBufferPool pool = new CheckedBufferPool();
  final AtomicInteger released = new AtomicInteger();
  final List<TestRequest> requests = new ArrayList<>();

  /** Every request has one outcome, and no lease is outstanding. */
  @AfterEach
  void everyRequestEndedOnce() {
    for (TestRequest request : requests) {
      assertThat(request.outcome().calls()).isEqualTo(1);
      assertThat(request.ended()).hasValue(1);
    }
    assertThat(pool.outstanding()).isZero();
  }

  /** The results of two requests, of one row and of two, with an output of that type. */
  BatchResults results(DataType type) {
    return results(
        ModelConfig.of("m", "b")
            .withSignature(
                8,
                List.of(),
                List.of(
                    TensorConfig.of("OUT", type, Shape.of(1)),
                    TensorConfig.of("OTHER", DataType.INT32, Shape.of(1)))));
  }

  BatchResults results(ModelConfig config) {
    requests.add(TestRequest.of(pool, "a", 1, List.of("OUT", "OTHER")));
    requests.add(TestRequest.of(pool, "b", 2, List.of("OUT", "OTHER")));
    return TestRequest.results(config, requests.stream().map(TestRequest::pending).toList(), pool);
  }

  static void put(BatchResults results, int index, String output, int... values) {
    Tensors.fill(
        results.allocate(
            index, output, DataType.INT32, Shape.of(values.length, 1), 4L * values.length),
        values);
  }

  void assertFirstFails(BatchResults results, String message) {
    results.deliver();
    assertThat(requests.getFirst().outcome().failure()).hasMessage(message);
    requests.getLast().outcome().response().close();
  }
}
