package io.nereid.server.codec.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.codec.Bodies;
import io.nereid.server.codec.ByteSink;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Triton's mapping of JSON to inputs and parameters (extension_generate.md, http_server.cc). */
class GenerateRequestReaderTest {
  private static final int LIMIT = 256;

  /** The model of Triton's own test of the extension, and an input that has no JSON form. */
  private static final ModelConfig MODEL =
      ModelConfig.of("llm", "b")
          .withSignature(
              0,
              List.of(
                  TensorConfig.of("PROMPT", DataType.BYTES, Shape.of(1, 1)),
                  TensorConfig.of("STREAM", DataType.BOOL, Shape.of(1, 1)),
                  TensorConfig.of("input_ids", DataType.INT32, Shape.of(1, -1)),
                  TensorConfig.of("half", DataType.FP16, Shape.of(-1))),
              List.of());

  @RegisterExtension private final Bodies bodies = new Bodies();
  private final GenerateRequestReader reader = new GenerateRequestReader(LIMIT);

  private DecodedRequest read(String json) {
    return read(json, MODEL);
  }

  private DecodedRequest read(String json, ModelConfig model) {
    return reader.read(bodies.lease(json.getBytes(UTF_8)), model, false, bodies.pool);
  }

  /** The inputs as {@code name shape [elements]}, in their order. */
  private static String shown(DecodedRequest request) {
    return request.inputs().stream()
        .map(input -> input.name() + ' ' + input.shape() + ' ' + elements(input))
        .collect(Collectors.joining("; "));
  }

  private static String elements(Tensor input) {
    var sink = new ByteSink(16);
    JsonDataWriter.put(sink, input);
    return sink.toString();
  }

  @Test
  void readsAnExampleOfTheExtension() {
    try (DecodedRequest request =
        read(
            """
            {"id": "42", "PROMPT": "client input", "STREAM": false,
             "parameters": {"max": 5, "temperature": 0.5, "seed": "x", "stop": true}}
            """)) {
      assertThat(request.id()).isEqualTo("42");
      assertThat(shown(request)).isEqualTo("PROMPT [1,1] [\"client input\"]; STREAM [1,1] [false]");
      assertThat(request.outputs()).isEmpty();
      assertThat(request.binaryByDefault()).isFalse();
      assertThat(request.options().parameters())
          .isEqualTo(
              Map.of(
                  "id", new Parameter.OfString("42"),
                  "max", new Parameter.OfLong(5),
                  "temperature", new Parameter.OfDouble(0.5),
                  "seed", new Parameter.OfString("x"),
                  "stop", new Parameter.OfBoolean(true)));
    }
  }

  @Test
  void takesReservedNamesForParametersOfTheModel() {
    try (DecodedRequest request =
        read("{\"sequence_id\":7,\"priority\":2,\"timeout\":9,\"triton_x\":true,\"n\":1e3}")) {
      assertThat(request.options())
          .isEqualTo(
              new RequestOptions(
                  SequenceId.NONE,
                  false,
                  false,
                  0,
                  0,
                  Map.of(
                      "sequence_id", new Parameter.OfLong(7),
                      "priority", new Parameter.OfLong(2),
                      "timeout", new Parameter.OfLong(9),
                      "triton_x", new Parameter.OfBoolean(true),
                      "n", new Parameter.OfDouble(1000))));
    }
  }

  @Test
  void takesMembersOfParametersForInputsToo() {
    try (DecodedRequest request =
        read("{\"parameters\":{\"STREAM\":true,\"parameters\":3},\"PROMPT\":[\"é\\n\"]}")) {
      assertThat(shown(request)).isEqualTo("STREAM [1,1] [true]; PROMPT [1,1] [\"é\\n\"]");
      assertThat(request.options().parameters())
          .isEqualTo(Map.of("parameters", new Parameter.OfLong(3)));
    }
  }

  @Test
  void usesTheFirstOfTwoParametersOfOneName() {
    try (DecodedRequest request = read("{\"a\":1,\"a\":[],\"id\":\"x\",\"id\":5}")) {
      assertThat(request.id()).isEqualTo("x");
      assertThat(request.options().parameters())
          .isEqualTo(Map.of("a", new Parameter.OfLong(1), "id", new Parameter.OfString("x")));
    }
  }

  private static ModelConfig model(DataType type, int maxBatchSize, long... dims) {
    TensorConfig input = TensorConfig.of("A", type, Shape.of(dims));
    return ModelConfig.of("m", "b").withSignature(maxBatchSize, List.of(input), List.of());
  }

  private static long[] dims(String dims) {
    return Arrays.stream(dims.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 5, '[1]'",
    "1, 0, [5], '[1]'",
    "-1, 0, 5, '[1]'",
    "-1, 0, '[5,6,7]', '[3]'",
    "2 3, 0, '[1,2,3,4,5,6]', '[2,3]'",
    "-1 2, 0, '[1,2,3,4]', '[2,2]'",
    "-1 -1, 0, '[1,2,3]', '[1,3]'",
    "1, 8, 5, '[1,1]'",
    "1, 8, '[5,6,7]', '[3,1]'",
    "-1, 8, '[5,6,7]', '[1,3]'",
    "2 2, 8, '[1,2,3,4,5,6,7,8]', '[2,2,2]'",
    "2, 0, '[[1],[2]]', '[2]'",
    "-1, 0, '[]', '[0]'",
    "2 -1, 0, '[]', '[2,0]'",
    "-1 -1, 0, '[]', '[1,0]'",
    "-1, 8, '[]', '[1,0]'",
    "16, 8, '[]', '[0,16]'"
  })
  void shapesAnArrayByTheDimensionsOfTheModel(
      String dims, int maxBatchSize, String json, String shape) {
    ModelConfig model = model(DataType.INT32, maxBatchSize, dims(dims));
    try (DecodedRequest request = read("{\"A\":" + json + "}", model)) {
      assertThat(request.inputs().getFirst().shape()).hasToString(shape);
      assertThat(elements(request.inputs().getFirst()))
          .isEqualTo(json.startsWith("[[1") ? "[1,2]" : json.startsWith("[") ? json : "[5]");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2, 0, 5, [2], 1 elements",
    "2, 0, '[1,2,3]', [2], 3 elements",
    "1, 0, '[1,2]', [1], 2 elements",
    "16, 0, '[]', [16], 0 elements",
    "0, 0, '[1]', [0], 1 elements",
    "3, 4, '[1,2,3,4]', '[-1,3]', 4 elements",
    "2 2, 0, '[[1,2],[3,4]]', '[2,2]', 2 elements",
    "2, 0, '[[1,2],[3,4]]', [2], arrays in an array",
    "-1, 0, '[[],3]', [-1], arrays in an array"
  })
  void rejectsElementsThatDoNotFillTheDimensions(
      String dims, int maxBatchSize, String json, String shape, String found) {
    ModelConfig model = model(DataType.INT32, maxBatchSize, dims(dims));
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "The schema can not convert input 'A' to tensor with proper shape: model 'm' expects a flat"
            + " array for shape %s, got %s".formatted(shape, found),
        () -> read("{\"A\":" + json + "}", model).close());
  }

  @ParameterizedTest
  @CsvSource({
    "BOOL, true, '[true]'",
    "BOOL, '[false , true]', '[false,true]'",
    "UINT8, 255, '[255]'",
    "INT8, -128, '[-128]'",
    "UINT16, 65535, '[65535]'",
    "INT16, -1, '[-1]'",
    "UINT32, 4294967295, '[4294967295]'",
    "INT64, -9223372036854775808, '[-9223372036854775808]'",
    "UINT64, 18446744073709551615, '[18446744073709551615]'",
    "FP32, 1, '[1.0]'",
    "FP32, '[0.5 , NaN]', '[0.5,NaN]'",
    "FP64, -Infinity, '[-Infinity]'",
    "FP64, 1e-3, '[0.001]'",
    "BYTES, '\"a,b\"', '[\"a,b\"]'",
    "BYTES, '\"\"', '[\"\"]'",
    "BYTES, '[\"x\",\"y]\"]', '[\"x\",\"y]\"]'"
  })
  void readsEachTypeAloneAndBeforeOtherMembers(DataType type, String json, String elements) {
    ModelConfig model = model(type, 0, -1);
    for (String object : List.of("{\"A\":%s}", "{\"A\":%s,\"z\":1}", "{\"A\":%s , \"z\":1}")) {
      String text = object.formatted(json);
      try (DecodedRequest request = read(text, model)) {
        assertThat(elements(request.inputs().getFirst())).as(text).isEqualTo(elements);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BYTES", "FP16", "BF16", "FP64"})
  void readsAnEmptyArrayOfAnyType(DataType type) {
    try (DecodedRequest request = read("{\"A\":[ ]}", model(type, 0, -1))) {
      assertThat(request.inputs().getFirst().shape()).isEqualTo(Shape.of(0));
      assertThat(request.inputs().getFirst().byteSize()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                          | failed to parse the request JSON buffer: The document is empty. at 0
          [1]                         | attempt to get members for non-object
          "text"                      | attempt to get members for non-object
          {"id":5}                    | Unable to parse 'id': attempt to access JSON non-string as string
          {"PROMPT":123}              | Unable to parse JSON bytes array: attempt to access JSON non-string as string: element 0 of input 'PROMPT' is a number
          {"PROMPT":null}             | Unable to parse JSON bytes array: attempt to access JSON non-string as string: element 0 of input 'PROMPT' is null
          {"PROMPT":{"USER":"hello"}} | Unable to parse JSON bytes array: attempt to access JSON non-string as string: element 0 of input 'PROMPT' is an object
          {"STREAM":"false"}          | Unable to parse 'data': attempt to access JSON non-boolean as boolean: element 0 of input 'STREAM' is a string
          {"STREAM":0,"PROMPT":1}     | Unable to parse 'data': attempt to access JSON non-boolean as boolean: element 0 of input 'STREAM' is a number
          {"STREAM":{}}               | Unable to parse 'data': attempt to access JSON non-boolean as boolean: element 0 of input 'STREAM' is an object
          {"input_ids":[1.5]}         | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer: element 0 of input 'input_ids' is another number
          {"input_ids":null}          | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer: element 0 of input 'input_ids' is null
          {"parameters":1}            | Expected JSON object for keyword: 'parameters': attempt to access JSON non-object as object
          {"parameters":{"STREAM":1}} | Converting keyword: 'parameters': Unable to parse 'data': attempt to access JSON non-boolean as boolean: element 0 of input 'STREAM' is a number
          """)
  void rejectsWhatCannotBeParsed(String json, String message) {
    Failures.assertRejected(StatusCode.INTERNAL, message, () -> read(json).close());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"a":null}                  | parameter 'a' has invalid type. It should be either 'int', 'bool', or 'string'.
          {"a":[1]}                   | parameter 'a' has invalid type. It should be either 'int', 'bool', or 'string'. Nor is it an input of model 'llm', which has ['PROMPT', 'STREAM', 'input_ids', 'half'].
          {"parameters":{"a":{"b":1}}} | Converting keyword: 'parameters': parameter 'a' has invalid type. It should be either 'int', 'bool', or 'string'. Nor is it an input of model 'llm', which has ['PROMPT', 'STREAM', 'input_ids', 'half'].
          {"parameters":{"parameters":{}}} | Converting keyword: 'parameters': parameter 'parameters' has invalid type. It should be either 'int', 'bool', or 'string'. Nor is it an input of model 'llm', which has ['PROMPT', 'STREAM', 'input_ids', 'half'].
          {"half":[1]}                | receiving FP16 data via JSON is not supported. Please use the binary data format for input half
          {"PROMPT":"a","PROMPT":"b"} | [request id: <id_unknown>] input 'PROMPT' already exists in request
          {"id":"7","STREAM":true,"parameters":{"STREAM":true}} | Converting keyword: 'parameters': [request id: 7] input 'STREAM' already exists in request
          {"parameters":{"STREAM":true},"parameters":{}} | Converting keyword: 'parameters': [request id: <id_unknown>] input 'STREAM' already exists in request
          """)
  void rejectsWhatTheModelCannotTake(String json, String message) {
    Failures.assertRejected(StatusCode.INVALID_ARGUMENT, message, () -> read(json).close());
  }

  @Test
  void rejectsParametersOfAModelWithAnInputOfThatName() {
    TensorConfig input = TensorConfig.of("parameters", DataType.INT32, Shape.of(1));
    ModelConfig model = ModelConfig.of("m", "b").withSignature(0, List.of(input), List.of());

    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "Keyword 'parameters' for nested schema also given as input tensor name",
        () -> read("{\"parameters\":{}}", model).close());
  }

  @Test
  void rejectsMoreBytesThanTheLimit() {
    String ones = "1" + ",1".repeat(LIMIT / Integer.BYTES - 2);
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "request size of 8 bytes with input 'input_ids' of size 252 bytes exceeds the maximum allowed"
            + " input size of 256. Use --http-max-input-size to increase the limit.",
        () -> read("{\"PROMPT\":\"abcd\",\"input_ids\":[%s]}".formatted(ones)).close());
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "Converting keyword: 'parameters': request size of 8 bytes with input 'input_ids' of size 252"
            + " bytes exceeds the maximum allowed input size of 256. Use --http-max-input-size to"
            + " increase the limit.",
        () ->
            read("{\"PROMPT\":\"abcd\",\"parameters\":{\"input_ids\":[%s]}}".formatted(ones))
                .close());
    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "request JSON size of 257 bytes exceeds the maximum allowed input size of 256 bytes. Use"
            + " --http-max-input-size to increase the limit.",
        () -> read("{}" + " ".repeat(LIMIT - 1)).close());
    try (DecodedRequest request = read("{\"input_ids\":[1,%s]}".formatted(ones))) {
      assertThat(request.inputs().getFirst().byteSize()).isEqualTo(LIMIT);
    }
  }

  @Test
  void keepsAFailureThatIsNotTheRequestsOwn() {
    var exhausted = InferenceException.exhausted("no memory", Duration.ofSeconds(1));
    LeaseSource empty =
        _ -> {
          throw exhausted;
        };
    Lease body = bodies.lease("{\"parameters\":{\"STREAM\":true}}".getBytes(UTF_8));

    assertThatException()
        .isThrownBy(() -> reader.read(body, MODEL, false, empty).close())
        .isSameAs(exhausted);
  }
}
