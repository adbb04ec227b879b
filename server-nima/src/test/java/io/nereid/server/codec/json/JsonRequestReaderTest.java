package io.nereid.server.codec.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.OutputRequest;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.codec.Bodies;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRequestReaderTest {
  @RegisterExtension private final Bodies bodies = new Bodies();

  @Test
  void readsAWholeRequest() {
    try (DecodedRequest request =
        bodies.read(
            "{\"model_name\":\"ignored\",\"id\":\"r\\u00e9q\",\"inputs\":[{\"name\":\"A\",\"shape\":[2,2],"
                + "\"datatype\":\"INT32\",\"data\":[[1,-2],[3,4]]}],"
                + "\"outputs\":[{\"name\":\"X\"},{\"name\":\"Y\",\"parameters\":"
                + "{\"binary_data\":true,\"classification\":3}}]}")) {
      assertThat(request.id()).isEqualTo("réq");
      assertThat(request.options()).isEqualTo(RequestOptions.NONE);
      assertThat(request.binaryByDefault()).isFalse();
      assertThat(request.outputs())
          .containsExactly(new OutputRequest("X", false, 0), new OutputRequest("Y", true, 3));
      Tensor input = request.inputs().getFirst();
      assertThat(input.name()).isEqualTo("A");
      assertThat(input.dataType()).isEqualTo(DataType.INT32);
      assertThat(input.shape()).isEqualTo(Shape.of(2, 2));
      assertThat(Bodies.bytes(input.data()))
          .containsExactly(1, 0, 0, 0, -2, -1, -1, -1, 3, 0, 0, 0, 4, 0, 0, 0);
      assertThat(bodies.pool.outstanding()).as("the body is no longer needed").isEqualTo(1);
    }
  }

  /** As Triton does; what is given by parameters is then not given. */
  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "\"\"", "\"binary_data_size\"", "0", "true", "-1", "1.5"})
  void ignoresParametersOfAnInputOrAnOutputThatAreNoObject(String parameters) {
    String input =
        "{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],%s\"parameters\":" + parameters + "}";
    String output = "{\"name\":\"X\",\"parameters\":" + parameters + "}";

    try (DecodedRequest request =
        bodies.read(
            "{\"inputs\":["
                + input.formatted("\"data\":[7],")
                + "],\"outputs\":["
                + output
                + "]}")) {
      assertThat(Bodies.bytes(request.inputs().getFirst().data())).containsExactly(7);
      assertThat(request.outputs()).containsExactly(new OutputRequest("X", false, 0));
    }
    bodies.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "Input must set only one of the following fields: 'data', 'binary_data_size' in"
            + " 'parameters', 'shared_memory_region' in 'parameters'. But no field is set",
        "{\"inputs\":[" + input.formatted("") + "]}");
  }

  @Test
  void passesTheMemoryToTheCaller() {
    DecodedRequest request = bodies.read("{" + Bodies.INPUTS + "}");

    var leases = request.takeLeases();
    request.close();

    assertThat(bodies.pool.outstanding()).isEqualTo(1);
    leases.forEach(lease -> lease.close());
  }

  @Test
  void readsParameters() {
    try (DecodedRequest request =
        bodies.read(
            "{\"parameters\":{\"sequence_id\":18446744073709551615,\"sequence_start\":true,"
                + "\"sequence_end\":false,\"priority\":2,\"timeout\":1500,\"binary_data_output\":true,"
                + "\"s\":\"x\",\"i\":-3,\"b\":false,\"d\":1.5,\"big\":9223372036854775808,\"headers\":\"h\","
                + "\"i\":4},"
                + Bodies.INPUTS
                + "}")) {
      assertThat(request.binaryByDefault()).isTrue();
      assertThat(request.options())
          .isEqualTo(
              new RequestOptions(
                  new SequenceId.OfNumber(-1),
                  true,
                  false,
                  2,
                  1500,
                  Map.of(
                      "s", new Parameter.OfString("x"),
                      "i", new Parameter.OfLong(-3),
                      "b", new Parameter.OfBoolean(false),
                      "d", new Parameter.OfDouble(1.5),
                      "big", new Parameter.OfDouble(0x1p63),
                      "headers", new Parameter.OfString("h"))));
    }
  }

  @Test
  void readsSequenceIdsOfBothKinds() {
    try (DecodedRequest request =
        bodies.read("{\"parameters\":{\"sequence_id\":\"s1\"}," + Bodies.INPUTS + "}")) {
      assertThat(request.options().sequenceId()).isEqualTo(new SequenceId.OfString("s1"));
    }
    try (DecodedRequest request =
        bodies.read("{\"parameters\":{\"sequence_id\":\"\"}," + Bodies.INPUTS + "}")) {
      assertThat(request.options().sequenceId()).isEqualTo(SequenceId.NONE);
    }
  }
}
