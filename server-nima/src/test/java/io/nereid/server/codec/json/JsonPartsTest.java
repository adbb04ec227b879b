package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses in parts, which are the same as those that are written at once. */
class JsonPartsTest {
  private static final ModelKey MODEL = new ModelKey("m\"", 7);
  private static final Map<String, Parameter> PARAMETERS =
      Map.of("p", new Parameter.OfDouble(0.5), "q", new Parameter.OfString("\n"));

  private final List<Tensor> tensors =
      List.of(
          random("floats", DataType.FP32, 1000),
          random("longs", DataType.INT64, 129),
          random("booleans", DataType.BOOL, 64),
          random("none", DataType.INT8, 0),
          random("one", DataType.UINT8, 1),
          strings("strings", "", "a", "\u0001".repeat(9000), "é\"", ""));

  private static Tensor random(String name, DataType type, int count) {
    byte[] data = new byte[count * type.byteSize()];
    new Random(count).nextBytes(data);
    return new Tensor(name, type, Shape.of(count), MemorySegment.ofArray(data));
  }

  private static Tensor strings(String name, String... texts) {
    List<byte[]> elements = List.of(texts).stream().map(text -> text.getBytes(UTF_8)).toList();
    byte[] data = new byte[(int) BytesElements.byteSize(elements)];
    long offset = 0;
    for (byte[] element : elements) {
      offset = BytesElements.put(MemorySegment.ofArray(data), offset, element);
    }
    return new Tensor(name, DataType.BYTES, Shape.of(texts.length), MemorySegment.ofArray(data));
  }

  private static byte[] joined(JsonParts parts, int size) {
    var all = new ByteSink(16);
    var part = new ByteSink(size + JsonParts.SLACK);
    boolean hasMore = true;
    while (hasMore) {
      part.clear();
      hasMore = parts.writeNext(part, size);
      assertThat(part.size()).isLessThanOrEqualTo(size + JsonParts.SLACK);
      all.put(MemorySegment.ofArray(part.array()).asSlice(0, part.size()));
    }
    return all.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 4096, 1 << 20})
  void anInferenceHasTheBytesOfOneThatIsWrittenAtOnce(int size) {
    List<Output> outputs =
        List.of(
            new Output(tensors.get(0), Form.TEXT),
            new Output(tensors.get(1), Form.BINARY),
            new Output(tensors.get(2), Form.TEXT),
            new Output(tensors.get(3), Form.TEXT),
            new Output(tensors.get(4), Form.REGION),
            new Output(tensors.get(5), Form.TEXT),
            new Output(tensors.get(5), Form.BINARY));
    var whole = new ByteSink(16);
    int jsonSize = JsonResponseWriter.write(whole, "id", MODEL, PARAMETERS, outputs);

    assertThat(joined(JsonResponseWriter.parts("id", MODEL, PARAMETERS, outputs, true), size))
        .isEqualTo(whole.toByteArray());
    assertThat(joined(JsonResponseWriter.parts("id", MODEL, PARAMETERS, outputs, false), size))
        .hasSize(jsonSize);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 4096, 1 << 20})
  void aGenerationHasTheBytesOfOneThatIsWrittenAtOnce(int size) {
    var response = new InferenceResponse(MODEL, "id", PARAMETERS, tensors, List.of());
    var whole = new ByteSink(16);
    GenerateResponseWriter.parts(response).writeAll(whole);
    var event = new ByteSink(16);
    GenerateResponseWriter.eventParts(response).writeAll(event);

    assertThat(joined(GenerateResponseWriter.parts(response), size)).isEqualTo(whole.toByteArray());
    assertThat(joined(GenerateResponseWriter.eventParts(response), size))
        .isEqualTo(event.toByteArray());
  }

  @Test
  void whatCannotBeWrittenIsRefusedBeforeTheFirstPart() {
    var half = new Output(random("h", DataType.FP16, 2), Form.TEXT);
    var tooShort =
        new Output(
            new Tensor("s", DataType.INT32, Shape.of(2), MemorySegment.ofArray(new byte[4])),
            Form.TEXT);
    var cut =
        new Output(
            new Tensor("c", DataType.BYTES, Shape.of(2), MemorySegment.ofArray(new byte[4])),
            Form.TEXT);

    for (Output wrong : List.of(half, tooShort, cut)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> JsonResponseWriter.parts("", MODEL, Map.of(), List.of(wrong), true));
    }
  }
}
