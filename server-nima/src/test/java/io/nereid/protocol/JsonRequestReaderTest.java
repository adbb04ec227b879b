package io.nereid.protocol;

import static io.nereid.error.StatusCode.INTERNAL;
import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static io.nereid.error.StatusCode.NOT_FOUND;
import static io.nereid.error.StatusCode.UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRequestReaderTest {
  private static final String INPUTS =
      "\"inputs\":[{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"data\":[7]}]";

  private final Bodies bodies = new Bodies();

  @AfterEach
  void everyLeaseHasBeenGivenBack() {
    assertThat(bodies.pool.outstanding()).isZero();
  }

  private void assertRefused(StatusCode code, String message, String json, byte... binary) {
    Bodies.assertRefused(code, message, () -> bodies.read(json, binary).close());
  }

  private static String binaryInput(String name, String dataType, String shape, String size) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"parameters\":{\"binary_data_size\":%s}}"
        .formatted(name, dataType, shape, size);
  }

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

  @Test
  void readsBinaryInputsBetweenJsonInputsInTheirOrder() {
    String json =
        "{\"inputs\":[%s,{\"name\":\"B\",\"datatype\":\"BOOL\",\"shape\":[1],\"data\":[true]},%s,%s]}"
            .formatted(
                binaryInput("A", "UINT8", "[2]", "2"),
                binaryInput("C", "UINT8", "[0]", "0"),
                binaryInput("D", "INT16", "[1]", "2"));
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
  void alignsBinaryDataWhereverItStarts(int blanks) {
    String json = "{\"inputs\":[" + binaryInput("A", "INT64", "[1]", "8") + "]}";
    try (DecodedRequest request =
        bodies.read(json + " ".repeat(blanks), new byte[] {1, 2, 3, 4, 5, 6, 7, 8})) {
      Tensor input = request.inputs().getFirst();
      assertThat(input.data().address() % Long.BYTES).isZero();
      assertThat(Bodies.bytes(input.data())).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
      assertThat(bodies.pool.outstanding()).isEqualTo(1);
    }
  }

  @Test
  void passesTheMemoryOnWhenAsked() {
    DecodedRequest request = bodies.read("{" + INPUTS + "}");

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
                + INPUTS
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
        bodies.read("{\"parameters\":{\"sequence_id\":\"s1\"}," + INPUTS + "}")) {
      assertThat(request.options().sequenceId()).isEqualTo(new SequenceId.OfString("s1"));
    }
    try (DecodedRequest request =
        bodies.read("{\"parameters\":{\"sequence_id\":\"\"}," + INPUTS + "}")) {
      assertThat(request.options().sequenceId()).isEqualTo(SequenceId.NONE);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"id\":1|Unable to parse 'id': attempt to access JSON non-string as string",
        "\"parameters\":[]|failed to get request params.: attempt to get members for non-object",
        "\"parameters\":{\"sequence_id\":-1}|Unable to parse 'sequence_id': attempt to access JSON non-string as string",
        "\"parameters\":{\"sequence_start\":1}|Unable to parse 'sequence_start': attempt to access JSON non-boolean as boolean",
        "\"parameters\":{\"sequence_end\":\"\"}|Unable to parse 'sequence_end': attempt to access JSON non-boolean as boolean",
        "\"parameters\":{\"priority\":-1}|Unable to parse 'priority': attempt to access JSON non-unsigned-integer as unsigned-integer",
        "\"parameters\":{\"timeout\":1.5}|Unable to parse 'timeout': attempt to access JSON non-unsigned-integer as unsigned-integer",
        "\"parameters\":{\"binary_data_output\":null}|Unable to parse 'binary_data_output': attempt to access JSON non-boolean as boolean",
        "\"inputs\":{}|Unable to parse 'inputs': attempt to access JSON non-array as array",
        "\"inputs\":[1]|Unable to parse 'inputs': attempt to access JSON non-object as object",
        "\"outputs\":1|Unable to parse 'outputs': attempt to access JSON non-array as array",
        "\"outputs\":[{}]|Unable to parse 'name': attempt to access non-existing object member 'name'",
        "\"outputs\":[{\"name\":\"X\",\"parameters\":{\"binary_data\":1}}]|Unable to parse 'binary_data': attempt to access JSON non-boolean as boolean",
        "\"outputs\":[{\"name\":\"X\",\"parameters\":{\"classification\":-1}}]|Unable to parse 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer",
      })
  void answersWrongTypesAsInternalErrors(String member, String message) {
    assertRefused(INTERNAL, message, "{%s,%s}".formatted(member, INPUTS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "5", "\"inputs\""})
  void needsInputs(String json) {
    assertRefused(
        INTERNAL,
        "Unable to parse 'inputs': attempt to access non-existing object member 'inputs'",
        json);
  }

  @ParameterizedTest
  @CsvSource({
    "name,\"datatype\":\"INT8\";\"shape\":[1]",
    "datatype,\"name\":\"A\";\"shape\":[1]",
    "shape,\"name\":\"A\";\"datatype\":\"INT8\""
  })
  void needsEachFieldOfAnInput(String missing, String rest) {
    assertRefused(
        INTERNAL,
        "Unable to parse '%s': attempt to access non-existing object member '%s'"
            .formatted(missing, missing),
        "{\"inputs\":[{\"data\":[7]," + rest.replace(';', ',') + "}]}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[2,-5]", "[1.0]", "[\"1\"]", "[1e0]", "[18446744073709551616]", "[[1]]"})
  void needsUnsignedIntegersAsShape(String shape) {
    assertRefused(
        INTERNAL,
        "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer",
        Bodies.input("INT8", shape, "[1]"));
  }

  @Test
  void refusesShapesThatOverflow() {
    assertRefused(
        INVALID_ARGUMENT,
        "invalid shape for input 'A': shape [9223372036854775807,2] causes total element count to"
            + " exceed maximum size of 9223372036854775807",
        Bodies.input("INT8", "[9223372036854775807,2]", "[1]"));
    assertRefused(
        INVALID_ARGUMENT,
        "byte size overflow for input 'A': element count (9223372036854775807) * data type size"
            + " (4) exceeds maximum allowed size (9223372036854775807)",
        Bodies.input("INT32", "[9223372036854775807]", "[1]"));
  }

  @Test
  void needsOneSourceOfData() {
    String only =
        "Input must set only one of the following fields: 'data', 'binary_data_size' in"
            + " 'parameters', 'shared_memory_region' in 'parameters'. But ";
    assertRefused(INVALID_ARGUMENT, only + "no field is set", "{\"inputs\":[{}]}");
    assertRefused(
        INVALID_ARGUMENT,
        only + "set 'data' 'binary_data_size'",
        "{\"inputs\":[{\"data\":[],\"parameters\":{\"binary_data_size\":1}}]}");
    assertRefused(
        INVALID_ARGUMENT,
        only + "set 'binary_data_size' 'shared_memory_region'",
        "{\"inputs\":[{\"parameters\":{\"binary_data_size\":1,\"shared_memory_region\":\"r\"}}]}");
  }

  @Test
  void refusesReservedAndUntypedParameters() {
    assertRefused(
        INVALID_ARGUMENT,
        "parameter keys starting with 'triton_' are reserved for Triton usage and should not be"
            + " specified.",
        "{\"parameters\":{\"triton_x\":1}," + INPUTS + "}");
    for (String value : new String[] {"null", "[]", "{}"}) {
      assertRefused(
          INVALID_ARGUMENT,
          "parameter 'k' has invalid type. It should be either 'int', 'bool', or 'string'.",
          "{\"parameters\":{\"k\":" + value + "}," + INPUTS + "}");
    }
    assertRefused(
        UNSUPPORTED,
        "string correlation ID cannot be longer than 128 characters",
        "{\"parameters\":{\"sequence_id\":\"" + "x".repeat(129) + "\"}," + INPUTS + "}");
  }

  @Test
  void refusesDuplicates() {
    String input = "{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"data\":[7]}";
    assertRefused(
        INVALID_ARGUMENT,
        "[request id: <id_unknown>] input 'A' already exists in request",
        "{\"inputs\":[" + input + "," + input + "]}");
    assertRefused(
        INVALID_ARGUMENT,
        "[request id: 7] output 'X' already exists in request",
        "{\"id\":\"7\"," + INPUTS + ",\"outputs\":[{\"name\":\"X\"},{\"name\":\"X\"}]}");
  }

  @Test
  void checksThatBinaryDataIsAllThereAndNoMore() {
    String json = "{\"inputs\":[" + binaryInput("A", "INT8", "[3]", "3") + "]}";
    assertRefused(
        INVALID_ARGUMENT,
        "unexpected size for input 'A', expecting 2 additional bytes for model 'm'",
        json,
        (byte) 1);
    assertRefused(
        INVALID_ARGUMENT, "unexpected additional input data for model 'm'", json, new byte[4]);
    assertRefused(
        INVALID_ARGUMENT,
        "unexpected size for input 'A', expecting 18446744073709551615 additional bytes for model"
            + " 'm'",
        "{\"inputs\":[" + binaryInput("A", "INT8", "[3]", "18446744073709551615") + "]}");
    assertRefused(
        INTERNAL,
        "Unable to parse 'binary_data_size': attempt to access JSON non-unsigned-integer as"
            + " unsigned-integer",
        "{\"inputs\":[" + binaryInput("A", "INT8", "[3]", "-3") + "]}");
  }

  @Test
  void answersBinaryDataWithoutHeaderLengthAsJsonWithATail() {
    String json = "{\"inputs\":[" + binaryInput("A", "INT8", "[1]", "1") + "]}";
    assertRefused(
        INTERNAL,
        "failed to parse the request JSON buffer: The document root must not be followed by other"
            + " values. at "
            + json.length(),
        json + "7");
  }

  @Test
  void knowsNoSharedMemoryRegion() {
    assertRefused(
        NOT_FOUND,
        "Unable to find shared memory region: 'r'",
        "{\"inputs\":[{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"parameters\":"
            + "{\"shared_memory_region\":\"r\",\"shared_memory_byte_size\":1}}]}");
    assertRefused(
        NOT_FOUND,
        "Unable to find shared memory region: 'r'",
        "{%s,\"outputs\":[{\"name\":\"X\",\"parameters\":{\"shared_memory_region\":\"r\"}}]}"
            .formatted(INPUTS));
    assertRefused(
        INVALID_ARGUMENT,
        "Output can't set both 'shared_memory_region' and 'classification'",
        "{%s,\"outputs\":[{\"name\":\"X\",\"parameters\":{\"shared_memory_region\":\"r\",\"classification\":1}}]}"
            .formatted(INPUTS));
    assertRefused(
        INVALID_ARGUMENT,
        "Output can't set both 'shared_memory_region' and 'binary_data'",
        "{%s,\"outputs\":[{\"name\":\"X\",\"parameters\":{\"shared_memory_region\":\"r\",\"binary_data\":true}}]}"
            .formatted(INPUTS));
  }

  @Test
  void limitsTheSizeOfJsonAndOfEachTensorFromIt() {
    String small = "{" + INPUTS + "}";
    bodies.read(small + " ".repeat(4096 - small.length())).close();
    assertRefused(
        INVALID_ARGUMENT,
        "request JSON size of 4097 bytes exceeds the maximum allowed input size of 4096 bytes. Use"
            + " --http-max-input-size to increase the limit.",
        small + " ".repeat(4097 - small.length()));
    assertRefused(
        INVALID_ARGUMENT,
        "JSON input 'A' has a byte_size (4104 bytes) that exceeds the maximum allowed value of 4096"
            + " bytes. Use --http-max-input-size to increase the limit.",
        Bodies.input("FP64", "[513]", "[1]"));
    assertRefused(
        INVALID_ARGUMENT,
        "JSON input 'A' has a byte_size (5000 bytes) that exceeds the maximum allowed value of 4096"
            + " bytes. Use --http-max-input-size to increase the limit.",
        Bodies.input("BYTES", "[1000]", "[" + "\"a\",".repeat(999) + "\"a\"]"));
  }
}
