package io.nereid.server.codec.json;

import static io.nereid.error.StatusCode.INTERNAL;
import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static io.nereid.error.StatusCode.NOT_FOUND;

import io.nereid.error.StatusCode;
import io.nereid.server.codec.Bodies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Well-formed JSON that is not a valid request. The error texts are Triton's. */
class RejectedJsonTest {
  @RegisterExtension private final Bodies bodies = new Bodies();

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
        "\"outputs\":1|Unable to parse 'outputs': attempt to access JSON non-array as array",
        "\"outputs\":[1]|Unable to parse 'name': attempt to access non-existing object member 'name'",
        "\"outputs\":[{}]|Unable to parse 'name': attempt to access non-existing object member 'name'",
        "\"outputs\":[{\"name\":\"X\",\"parameters\":{\"binary_data\":1}}]|Unable to parse 'binary_data': attempt to access JSON non-boolean as boolean",
        "\"outputs\":[{\"name\":\"X\",\"parameters\":{\"classification\":-1}}]|Unable to set 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer",
      })
  void rejectsValuesOfTheWrongTypeAsInternal(String member, String message) {
    bodies.assertRejected(INTERNAL, message, "{%s,%s}".formatted(member, Bodies.INPUTS));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "5", "\"inputs\""})
  void requiresInputs(String json) {
    bodies.assertRejected(
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
  void requiresEachFieldOfAnInput(String missing, String rest) {
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse '%s': attempt to access non-existing object member '%s'"
            .formatted(missing, missing),
        "{\"inputs\":[{\"data\":[7]," + rest.replace(';', ',') + "}]}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[2,-5]", "[1.0]", "[\"1\"]", "[1e0]", "[18446744073709551616]", "[[1]]"})
  void requiresUnsignedIntegersAsShape(String shape) {
    bodies.assertRejected(
        INTERNAL,
        "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer",
        Bodies.input("INT8", shape, "[1]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          INT8  | [9223372036854775807,2] | invalid shape for input 'A': shape [9223372036854775807,2] causes total element count to exceed maximum size of 9223372036854775807
          INT32 | [9223372036854775807]   | byte size overflow for input 'A': element count (9223372036854775807) * data type size (4) exceeds maximum allowed size (9223372036854775807)
          """)
  void rejectsShapesThatOverflow(String dataType, String shape, String message) {
    bodies.assertRejected(INVALID_ARGUMENT, message, Bodies.input(dataType, shape, "[1]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | no field is set
          "data":[],"parameters":{"binary_data_size":1} | set 'data' 'binary_data_size'
          "parameters":{"binary_data_size":1,"shared_memory_region":"r"} | set 'binary_data_size' 'shared_memory_region'
          """)
  void requiresExactlyOneSourceOfData(String members, String given) {
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "Input must set only one of the following fields: 'data', 'binary_data_size' in"
            + " 'parameters', 'shared_memory_region' in 'parameters'. But "
            + given,
        "{\"inputs\":[{%s}]}".formatted(members));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "triton_x":1 | INVALID_ARGUMENT | parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.
          "k":null     | INVALID_ARGUMENT | parameter 'k' has invalid type. It should be either 'int', 'bool', or 'string'.
          "k":[]       | INVALID_ARGUMENT | parameter 'k' has invalid type. It should be either 'int', 'bool', or 'string'.
          "k":{}       | INVALID_ARGUMENT | parameter 'k' has invalid type. It should be either 'int', 'bool', or 'string'.
          "sequence_id":"LONG" | UNSUPPORTED | string correlation ID cannot be longer than 128 characters
          """)
  void rejectsReservedUntypedAndLongParameters(String parameter, StatusCode code, String message) {
    String given = parameter.replace("LONG", "x".repeat(129));
    bodies.assertRejected(
        code, message, "{\"parameters\":{%s},%s}".formatted(given, Bodies.INPUTS));
  }

  @Test
  void rejectsDuplicates() {
    String input = "{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"data\":[7]}";
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "[request id: <id_unknown>] input 'A' already exists in request",
        "{\"inputs\":[" + input + "," + input + "]}");
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "[request id: 7] output 'X' already exists in request",
        "{\"id\":\"7\"," + Bodies.INPUTS + ",\"outputs\":[{\"name\":\"X\"},{\"name\":\"X\"}]}");
  }

  @Test
  void rejectsSharedMemoryRegionsOfInputs() {
    bodies.assertRejected(
        NOT_FOUND,
        "Unable to find shared memory region: 'r'",
        "{\"inputs\":[{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"parameters\":"
            + "{\"shared_memory_region\":\"r\",\"shared_memory_byte_size\":1}}]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          `` | NOT_FOUND | Unable to find shared memory region: 'r'
          ,"classification":1 | INVALID_ARGUMENT | Output can't set both 'shared_memory_region' and 'classification'
          ,"binary_data":true | INVALID_ARGUMENT | Output can't set both 'shared_memory_region' and 'binary_data'
          """)
  void rejectsSharedMemoryRegionsOfOutputs(String more, StatusCode code, String message) {
    bodies.assertRejected(
        code,
        message,
        "{%s,\"outputs\":[{\"name\":\"X\",\"parameters\":{\"shared_memory_region\":\"r\"%s}}]}"
            .formatted(Bodies.INPUTS, more));
  }

  @Test
  void limitsTheSizeOfJsonAndOfEachTensorFromIt() {
    String small = "{" + Bodies.INPUTS + "}";
    bodies.read(small + " ".repeat(4096 - small.length())).close();
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "request JSON size of 4097 bytes exceeds the maximum allowed input size of 4096 bytes. Use"
            + " --http-max-input-size to increase the limit.",
        small + " ".repeat(4097 - small.length()));
    assertTooLarge(4104, Bodies.input("FP64", "[513]", "[1]"));
    assertTooLarge(5000, Bodies.input("BYTES", "[1000]", "[" + "\"a\",".repeat(999) + "\"a\"]"));
  }

  private void assertTooLarge(int byteSize, String json) {
    bodies.assertRejected(
        INVALID_ARGUMENT,
        "JSON input 'A' has a byte_size (%d bytes) that exceeds the maximum allowed value of 4096 bytes. Use --http-max-input-size to increase the limit."
            .formatted(byteSize),
        json);
  }
}
