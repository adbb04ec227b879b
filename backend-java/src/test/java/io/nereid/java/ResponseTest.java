package io.nereid.java;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class ResponseTest {
  /**
   * As {@code try (var response = calls.infer(…)) { return Response.of(response.output("y")); }}.
   */
  @Test
  void anOutputInNativeMemoryOutlivesIt() {
    Response response;
    try (Arena ofTheCall = Arena.ofConfined()) {
      MemorySegment data = ofTheCall.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3);
      var output = new Tensor("x", DataType.INT32, Shape.of(3), data);
      response = Response.of(output.named("y"));
      data.fill((byte) 0);
    }

    Tensor kept = response.outputs().getFirst();
    assertThat(kept.name()).isEqualTo("y");
    assertThat(TensorArrays.ints(kept)).containsExactly(1, 2, 3);
  }

  @Test
  void anOutputWhoseMemoryIsClosedIsNamed() {
    Tensor output;
    try (Arena ofTheCall = Arena.ofConfined()) {
      output = new Tensor("x", DataType.INT32, Shape.of(1), ofTheCall.allocate(4));
    }

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> Response.of(output))
        .withMessage(
            "tensor 'x' is read too late: its response is closed, or its request has ended");
  }

  @Test
  void anArrayIsNotCopied() {
    Tensor output = TensorArrays.of("y", new int[] {1}, 1);

    assertThat(Response.of(output).outputs()).containsExactly(output);
  }
}
