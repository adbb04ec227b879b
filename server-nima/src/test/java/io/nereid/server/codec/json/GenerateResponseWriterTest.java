package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GenerateResponseWriterTest {
  private static final ModelKey MODEL = new ModelKey("m", 3);

  private final ByteSink sink = new ByteSink(0);

  private static Tensor tensor(String name, DataType dataType, Shape shape, int... data) {
    byte[] bytes = new byte[data.length];
    for (int i = 0; i < data.length; i++) {
      bytes[i] = (byte) data[i];
    }
    return new Tensor(name, dataType, shape, MemorySegment.ofArray(bytes));
  }

  private static Tensor text(String name, String... elements) {
    List<byte[]> encoded = Stream.of(elements).map(element -> element.getBytes(UTF_8)).toList();
    var data = MemorySegment.ofArray(new byte[(int) BytesElements.byteSize(encoded)]);
    long end = 0;
    for (byte[] element : encoded) {
      end = BytesElements.put(data, end, element);
    }
    return new Tensor(name, DataType.BYTES, Shape.of(elements.length), data);
  }

  private String write(String id, Map<String, Parameter> parameters, Tensor... outputs) {
    sink.clear();
    GenerateResponseWriter.parts(response(id, parameters, outputs)).writeAll(sink);
    return sink.toString();
  }

  private static InferenceResponse response(
      String id, Map<String, Parameter> parameters, Tensor... outputs) {
    return new InferenceResponse(MODEL, id, parameters, List.of(outputs), List.of());
  }

  @Test
  void writesAllMembersByName() {
    Map<String, Parameter> parameters =
        Map.of(
            "a", new Parameter.OfDouble(0.5),
            "z", new Parameter.OfLong(-1),
            "k", new Parameter.OfBoolean(true),
            "n", new Parameter.OfString("x\"y"));

    assertThat(write("7", parameters, text("text_output", "é\n"), text("B", "b")))
        .isEqualTo(
            "{\"B\":\"b\",\"a\":0.5,\"id\":\"7\",\"k\":true,\"model_name\":\"m\","
                + "\"model_version\":\"3\",\"n\":\"x\\\"y\",\"text_output\":\"é\\n\",\"z\":-1}");
  }

  @Test
  void writesOneElementAsAValueAndOthersAsAFlatArray() {
    assertThat(
            write(
                "",
                Map.of(),
                tensor("a", DataType.INT8, Shape.of(1, 1), -5),
                tensor("b", DataType.UINT8, Shape.of(2, 2), 1, 2, 3, 255),
                tensor("c", DataType.BOOL, Shape.of(), 1),
                tensor("d", DataType.INT32, Shape.of(1, 0)),
                text("e"),
                text("f", "x", "")))
        .isEqualTo(
            "{\"a\":-5,\"b\":[1,2,3,255],\"c\":true,\"d\":[],\"e\":[],\"f\":[\"x\",\"\"],"
                + "\"model_name\":\"m\",\"model_version\":\"3\"}");
  }

  @Test
  void prefersNamesOfTheModelToParametersAndThoseToOutputs() {
    Map<String, Parameter> parameters =
        Map.of("model_name", new Parameter.OfLong(1), "x", new Parameter.OfLong(2));

    assertThat(
            write(
                "",
                parameters,
                text("x", "output"),
                text("model_version", "output"),
                text("id", "output")))
        .isEqualTo("{\"id\":\"output\",\"model_name\":\"m\",\"model_version\":\"3\",\"x\":2}");
    assertThat(write("7", Map.of(), text("id", "output"))).contains("\"id\":\"7\"");
  }

  @Test
  void writesEventsOfOneLine() {
    GenerateResponseWriter.eventParts(response("", Map.of(), text("t", "a\n\r\nb"))).writeAll(sink);
    GenerateResponseWriter.writeErrorEvent(sink, "no\nmore");

    assertThat(sink)
        .hasToString(
            """
            data: {"model_name":"m","model_version":"3","t":"a\\n\\r\\nb"}

            data: {"error":"no\\nmore"}

            """);
  }

  @Test
  void rejectsWhatHasNoJsonForm() {
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "sending FP16 data via JSON is not supported. Please use the binary data format for output",
        () -> write("", Map.of(), tensor("x", DataType.FP16, Shape.of(1), 0, 0)));
  }

  @Test
  void rejectsAnOutputThatDoesNotFitItsShape() {
    var cut = new Tensor("x", DataType.BYTES, Shape.of(2), text("x", "a").data());

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> write("", Map.of(), cut))
        .withMessage(
            "Failed to write 'data' field: output tensor shape does not match size of output for 'x'")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL));
  }
}
