package io.nereid.server.codec.json;

import static io.nereid.error.StatusCode.INTERNAL;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.Bodies;
import io.nereid.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs whose data follow the JSON. */
class BinaryInputsTest {
  @RegisterExtension private final Bodies bodies = new Bodies();

  @Test
  void readsBinaryInputsBetweenJsonInputsInTheirOrder() {
    String json =
        "{\"inputs\":[%s,{\"name\":\"B\",\"datatype\":\"BOOL\",\"shape\":[1],\"data\":[true]},%s,%s]}"
            .formatted(
                Bodies.binaryInput("A", "UINT8", "[2]", "2"),
                Bodies.binaryInput("C", "UINT8", "[0]", "0"),
                Bodies.binaryInput("D", "INT16", "[1]", "2"));
    try (DecodedRequest request = bodies.read(json, (byte) 1, (byte) 2, (byte) 3, (byte) 4)) {
      assertThat(request.inputs().stream().map(Tensor::name)).containsExactly("A", "B", "C", "D");
      assertThat(Bodies.bytes(request.inputs().get(0).data())).containsExactly(1, 2);
      assertThat(Bodies.bytes(request.inputs().get(1).data())).containsExactly(1);
      assertThat(request.inputs().get(2).data().byteSize()).isZero();
      assertThat(Bodies.bytes(request.inputs().get(3).data())).containsExactly(3, 4);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void alignsBinaryDataAtAnyOffset(int blanks) {
    String json = "{\"inputs\":[" + Bodies.binaryInput("A", "INT64", "[1]", "8") + "]}";
    try (DecodedRequest request =
        bodies.read(json + " ".repeat(blanks), new byte[] {1, 2, 3, 4, 5, 6, 7, 8})) {
      Tensor input = request.inputs().getFirst();
      assertThat(input.data().address() % Long.BYTES).isZero();
      assertThat(Bodies.bytes(input.data())).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
      assertThat(bodies.pool.outstanding()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          3  | 1 | INVALID_ARGUMENT | unexpected size for input 'A', expecting 2 additional bytes for model 'm'
          3  | 4 | INVALID_ARGUMENT | unexpected additional input data for model 'm'
          18446744073709551615 | 0 | INVALID_ARGUMENT | unexpected size for input 'A', expecting 18446744073709551615 additional bytes for model 'm'
          -3 | 0 | INTERNAL | Unable to parse 'binary_data_size': attempt to access JSON non-unsigned-integer as unsigned-integer
          """)
  void checksTheSizeOfBinaryData(String size, int given, StatusCode code, String message) {
    String json = "{\"inputs\":[" + Bodies.binaryInput("A", "INT8", "[3]", size) + "]}";
    bodies.assertRejected(code, message, json, new byte[given]);
  }

  @Test
  void rejectsBinaryDataWithoutAHeaderLengthAsMalformedJson() {
    String json = "{\"inputs\":[" + Bodies.binaryInput("A", "INT8", "[1]", "1") + "]}";
    bodies.assertRejected(
        INTERNAL,
        "failed to parse the request JSON buffer: The document root must not be followed by other"
            + " values. at "
            + json.length(),
        json + "7");
  }
}
