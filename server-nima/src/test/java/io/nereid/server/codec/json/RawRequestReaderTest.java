package io.nereid.server.codec.json;

import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.server.codec.Bodies;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RawRequestReaderTest {
  private static final String NO_ID = "[request id: <id_unknown>] ";

  @RegisterExtension private final Bodies bodies = new Bodies();

  private static ModelConfig model(int maxBatchSize, TensorConfig... inputs) {
    return ModelConfig.of("m", "b").withSignature(maxBatchSize, List.of(inputs), List.of());
  }

  private static TensorConfig input(DataType dataType, long... dims) {
    return TensorConfig.of("A", dataType, Shape.of(dims));
  }

  private DecodedRequest read(byte[] body, ModelConfig model) {
    return RawRequestReader.read(bodies.lease(body), model, bodies.pool);
  }

  private Shape shape(ModelConfig model, int byteSize) {
    try (DecodedRequest request = read(new byte[byteSize], model)) {
      assertThat(request.binaryByDefault()).isTrue();
      assertThat(request.outputs()).isEmpty();
      Tensor input = request.inputs().getFirst();
      assertThat(input.name()).isEqualTo("A");
      assertThat(input.data().byteSize()).isEqualTo(byteSize);
      return input.shape();
    }
  }

  private void assertRejected(String message, ModelConfig model, int byteSize) {
    Failures.assertRejected(
        INVALID_ARGUMENT, message, () -> read(new byte[byteSize], model).close());
  }

  @Test
  void deducesTheVariableDimension() {
    assertThat(shape(model(0, input(DataType.FP32, 2, -1)), 24)).isEqualTo(Shape.of(2, 3));
    assertThat(shape(model(8, input(DataType.FP32, 2, -1)), 24)).isEqualTo(Shape.of(1, 2, 3));
    assertThat(shape(model(1, input(DataType.INT8, 4)), 4)).isEqualTo(Shape.of(1, 4));
    assertThat(shape(model(0, input(DataType.INT8, -1)), 0)).isEqualTo(Shape.of(0));
  }

  @Test
  void prefixesAStringWithItsLength() {
    try (DecodedRequest request = read(new byte[] {7, 8}, model(2, input(DataType.BYTES, 1)))) {
      Tensor input = request.inputs().getFirst();
      assertThat(input.shape()).isEqualTo(Shape.of(1, 1));
      assertThat(Bodies.bytes(input.data())).containsExactly(2, 0, 0, 0, 7, 8);
      assertThat(bodies.pool.outstanding()).isEqualTo(1);
    }
  }

  @Test
  void rejectsRequestsWhoseInputCannotBeDeduced() {
    assertRejected(
        NO_ID
            + "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'm' model"
            + " configuration",
        model(0, input(DataType.INT8, 1), TensorConfig.of("B", DataType.INT8, Shape.of(1))),
        1);
    assertRejected(
        NO_ID
            + "The shape of the raw input 'A' can not be deduced because there are more than one"
            + " variable-sized dimension",
        model(0, input(DataType.INT8, -1, -1)),
        1);
    assertRejected(
        NO_ID + "For BYTE datatype raw input 'A', the model must have input shape [1]",
        model(0, input(DataType.BYTES, 2)),
        1);
    assertRejected(
        NO_ID + "For BYTE datatype raw input 'A', the model must have input shape [1]",
        model(0, input(DataType.BYTES, -1)),
        1);
  }

  @Test
  void theLengthOfAStringIsUnsigned() {
    assertThat(RawRequestReader.length(0)).isZero();
    assertThat(RawRequestReader.length(1L << 31)).isEqualTo(Integer.MIN_VALUE);
    assertThat(RawRequestReader.length(0xFFFF_FFFFL)).isEqualTo(-1);
    Failures.assertRejected(
        INVALID_ARGUMENT,
        "[request id: <id_unknown>] a raw input of type BYTES has at most 4294967295 bytes, got"
            + " 4294967296",
        () -> RawRequestReader.length(0x1_0000_0000L));
  }
}
