package io.nereid.server.codec.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonResponseWriter.Form;
import io.nereid.server.codec.json.JsonResponseWriter.Output;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonResponseWriterTest {
  private static final ModelKey MODEL = new ModelKey("m", 3);

  private final ByteSink sink = new ByteSink(0);

  private static Tensor tensor(DataType dataType, Shape shape, byte... data) {
    return new Tensor("X", dataType, shape, MemorySegment.ofArray(data));
  }

  private int write(Output... outputs) {
    return JsonResponseWriter.write(sink, "", MODEL, Map.of(), List.of(outputs));
  }

  @Test
  void writesTheFieldsInTheProtocolsOrder() {
    Map<String, Parameter> parameters = new LinkedHashMap<>();
    parameters.put("s", new Parameter.OfString("a\"b"));
    parameters.put("l", new Parameter.OfLong(-1));
    parameters.put("b", new Parameter.OfBoolean(true));
    parameters.put("d", new Parameter.OfDouble(0.5));
    var output = new Output(tensor(DataType.UINT8, Shape.of(1, 2), (byte) -1, (byte) 2), Form.TEXT);

    int jsonSize = JsonResponseWriter.write(sink, "é", MODEL, parameters, List.of(output, output));

    assertThat(sink)
        .hasToString(
            "{\"id\":\"é\",\"model_name\":\"m\",\"model_version\":\"3\",\"parameters\":"
                + "{\"s\":\"a\\\"b\",\"l\":-1,\"b\":true,\"d\":0.5},\"outputs\":["
                + "{\"name\":\"X\",\"datatype\":\"UINT8\",\"shape\":[1,2],\"data\":[255,2]},"
                + "{\"name\":\"X\",\"datatype\":\"UINT8\",\"shape\":[1,2],\"data\":[255,2]}]}");
    assertThat(jsonSize).isEqualTo(sink.size());
  }

  @Test
  void writesBinaryOutputsAfterTheJson() {
    int jsonSize =
        write(
            new Output(tensor(DataType.FP16, Shape.of(1), (byte) 1, (byte) 2), Form.BINARY),
            new Output(tensor(DataType.INT8, Shape.of(1), (byte) 3), Form.TEXT),
            new Output(tensor(DataType.INT8, Shape.of(1), (byte) 4), Form.BINARY));

    String json =
        "{\"model_name\":\"m\",\"model_version\":\"3\",\"outputs\":["
            + "{\"name\":\"X\",\"datatype\":\"FP16\",\"shape\":[1],\"parameters\":{\"binary_data_size\":2}},"
            + "{\"name\":\"X\",\"datatype\":\"INT8\",\"shape\":[1],\"data\":[3]},"
            + "{\"name\":\"X\",\"datatype\":\"INT8\",\"shape\":[1],\"parameters\":{\"binary_data_size\":1}}]}";
    assertThat(jsonSize).isEqualTo(json.length());
    assertThat(sink.toByteArray()).startsWith(json.getBytes(StandardCharsets.UTF_8));
    assertThat(sink.toByteArray()).endsWith(1, 2, 4);
    assertThat(sink.size()).isEqualTo(jsonSize + 3);
  }

  @Test
  void writesEmptyOutputs() {
    int jsonSize =
        write(
            new Output(tensor(DataType.FP32, Shape.of(0, 4)), Form.TEXT),
            new Output(tensor(DataType.BYTES, Shape.of(0)), Form.TEXT),
            new Output(tensor(DataType.FP32, Shape.of(0)), Form.BINARY));

    assertThat(sink.toString())
        .contains("\"shape\":[0,4],\"data\":[]}", "\"shape\":[0],\"data\":[]}");
    assertThat(sink.toString()).contains("\"binary_data_size\":0");
    assertThat(jsonSize).isEqualTo(sink.size());
  }

  @Test
  void copiesStringBytesWithTheLeastEscapes() {
    byte[] element = {
      'a', '"', '\\', '/', '\n', 0, 0x1f, 0x7f, (byte) 0xff, (byte) 0xc3, (byte) 0xa9
    };
    byte[] data = new byte[4 + element.length];
    BytesElements.put(MemorySegment.ofArray(data), 0, element);

    JsonDataWriter.put(sink, tensor(DataType.BYTES, Shape.of(1), data));

    assertThat(new String(sink.toByteArray(), StandardCharsets.ISO_8859_1))
        .isEqualTo("[\"a\\\"\\\\/\\n\\u0000\\u001F\u007f\u00ff\u00c3\u00a9\"]");
  }

  @Test
  void rejectsTypesWithoutAJsonForm() {
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "sending FP16 data via JSON is not supported. Please use the binary data format for output",
        () -> write(new Output(tensor(DataType.FP16, Shape.of(1), new byte[2]), Form.TEXT)));
  }

  @Test
  void rejectsBytesThatDoNotFitTheShape() {
    for (Tensor wrong :
        List.of(
            tensor(DataType.FP32, Shape.of(2), new byte[4]),
            tensor(DataType.BYTES, Shape.of(2), new byte[4]),
            tensor(DataType.BYTES, Shape.of(1), new byte[3]))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> write(new Output(wrong, Form.TEXT)))
          .withMessage(
              "Failed to write 'data' field: output tensor shape does not match size of output for"
                  + " 'X'")
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL));
    }
  }

  @Test
  void writesErrors() {
    assertThat(new String(JsonResponseWriter.error("no \"é\"\n"), StandardCharsets.UTF_8))
        .isEqualTo("{\"error\":\"no \\\"é\\\"\\n\"}");
  }

  @Test
  void growsAndIsReusable() {
    for (int i = 0; i < 3; i++) {
      sink.clear();
      write(new Output(tensor(DataType.INT8, Shape.of(2000), new byte[2000]), Form.TEXT));
      assertThat(sink.toString()).endsWith("0,0]}]}");
    }
  }
}
