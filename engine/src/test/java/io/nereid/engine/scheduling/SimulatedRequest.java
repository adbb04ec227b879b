package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A request with unique rows, and the check of its outcome.
 *
 * @param number a unique number; each element of the input is made of it and a count
 */
record SimulatedRequest(
    int number,
    String id,
    Shape shape,
    ResponsePromise promise,
    PlacedOutcome outcome,
    AtomicInteger closed) {
  static SimulatedRequest of(int number, String id, Shape shape, AtomicInteger answers) {
    var outcome = new PlacedOutcome(answers);
    return new SimulatedRequest(
        number, id, shape, new ResponsePromise(outcome), outcome, new AtomicInteger());
  }

  /** The position of its response among all, from 1 on; 0 without a response. */
  int place() {
    return outcome.place();
  }

  private int element(int index) {
    return number * 1_000 + index;
  }

  /** The request for a scheduler. */
  PendingRequest pending(
      BufferPool pool, RequestOptions options, long arrivalNanos, long deadlineNanos) {
    Lease lease = pool.lease(4 * shape.elementCount());
    for (int i = 0; i < shape.elementCount(); i++) {
      lease.segment().set(Elements.INT, 4L * i, element(i));
    }
    var input = new Tensor("IN", DataType.INT32, shape, lease.segment());
    return new PendingRequest(
        new InferenceRequest(new ModelKey("m", 1), id, List.of(input), List.of("OUT"), options),
        shape.dim(0),
        List.of(lease),
        closed::incrementAndGet,
        promise,
        arrivalNanos,
        deadlineNanos);
  }

  /** Whether it has no outcome yet, or its memory is not released. */
  boolean isOpen() {
    return outcome.recorded().calls() == 0 || closed.get() == 0;
  }

  /** Checks that there is one correct outcome, and releases the response's memory. */
  void check(EchoWork work) {
    assertThat(outcome.recorded().calls()).as("outcomes of %s", id).isEqualTo(1);
    assertThat(closed).as("ends of %s", id).hasValue(1);
    InferenceResponse response;
    try {
      response = outcome.recorded().response();
    } catch (AssertionError failed) {
      assertFailedRightly(work, (InferenceException) Objects.requireNonNull(failed.getCause()));
      return;
    }
    try (response) {
      assertThat(work.ran(id)).as("%s ran", id).isTrue();
      Tensor output = response.output("OUT").orElseThrow();
      assertThat(output.shape()).isEqualTo(shape);
      for (int i = 0; i < shape.elementCount(); i++) {
        assertThat(output.data().get(Elements.INT, 4L * i))
            .as("rows of %s", id)
            .isEqualTo(element(i));
      }
    }
  }

  private void assertFailedRightly(EchoWork work, InferenceException failure) {
    if (failure.code() == StatusCode.INTERNAL) {
      assertThat(work.ran(id)).as("%s ran, and failed", id).isTrue();
    } else if (failure.code() != StatusCode.CANCELLED && !id.startsWith("again")) {
      // these may have been executed
      assertThat(work.ran(id)).as("%s ran, and was rejected", id).isFalse();
    }
  }
}
