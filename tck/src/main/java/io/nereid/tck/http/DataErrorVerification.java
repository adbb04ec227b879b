package io.nereid.tck.http;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tensors whose data cannot be converted: each gets its status and text, and has no effect on the
 * next request.
 */
public abstract class DataErrorVerification extends HttpVerification {
  private static final String UNSIGNED =
      "attempt to access JSON non-unsigned-integer as unsigned-integer";

  @Test
  @Rule("HTTP-ERROR-15")
  void rejectsAShapeWhoseElementsCannotBeCounted() {
    var shape = "[4294967296,4294967296]";
    simpleRefused(
        request(input("INPUT0", "INT32", shape, "[1]"), INPUT1),
        "invalid shape for input 'INPUT0': shape "
            + shape
            + " causes total element count to exceed maximum size of 9223372036854775807");
  }

  @Test
  @Rule("HTTP-ERROR-16")
  void rejectsAShapeWhoseBytesCannotBeCounted() {
    simpleRefused(
        request(input("INPUT0", "INT32", "[4611686018427387904]", "[1]"), INPUT1),
        "byte size overflow for input 'INPUT0': element count (4611686018427387904) * data type"
            + " size (4) exceeds maximum allowed size (9223372036854775807)");
  }

  @Test
  @Rule("HTTP-ERROR-17")
  void rejectsAnUnknownDataType() {
    simpleRefused(
        request(input("INPUT0", "INT33", "[1,16]", "[" + ROW + "]"), INPUT1),
        "invalid datatype for input INPUT0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FP16", "BF16"})
  @Rule("HTTP-ERROR-18")
  void rejectsHalfPrecisionAsJson(String type) {
    rejected(
        infer(
            "identity_" + type.toLowerCase(Locale.ROOT),
            request(input("INPUT0", type, "[1]", "[1.0]"))),
        "receiving %s data via JSON is not supported. Please use the binary data format for input INPUT0"
            .formatted(type));
  }

  @Test
  @Rule("HTTP-ERROR-19")
  void rejectsTooFewElements() {
    simpleMalformed(
        request(input("INPUT0", "INT32", "[1,16]", "[1,2,3]"), INPUT1),
        "Failed to parse 'data' field: shape does not match true shape");
  }

  @Test
  @Rule("HTTP-ERROR-20")
  void rejectsTooManyElements() {
    simpleMalformed(
        request(input("INPUT0", "INT32", "[1,16]", "[" + ROW + ",16]"), INPUT1),
        "Unable to parse 'data': Shape does not match true shape of 'data' field");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int32|INT32|1.0|attempt to access JSON non-signed-integer as signed-integer",
        "int32|INT32|1e0|attempt to access JSON non-signed-integer as signed-integer",
        "int32|INT32|true|attempt to access JSON non-signed-integer as signed-integer",
        "uint8|UINT8|-1|" + UNSIGNED,
        "uint64|UINT64|18446744073709551616|" + UNSIGNED,
        "bool|BOOL|1|attempt to access JSON non-boolean as boolean",
        "fp32|FP32|\"1\"|attempt to access JSON non-number as double",
        "fp32|FP32|null|attempt to access JSON non-number as double"
      })
  @Rule("HTTP-ERROR-21")
  void rejectsAnElementOfTheWrongType(String model, String type, String element, String text) {
    rejected(
        infer("identity_" + model, request(input("INPUT0", type, "[1]", "[" + element + "]"))),
        500,
        "Unable to parse 'data': " + text);
  }

  @Test
  @Rule("HTTP-ERROR-22")
  void rejectsAStringTensorOfNumbers() {
    rejectedWith(
        infer("identity_bytes", request(input("INPUT0", "BYTES", "[1]", "[1]"))),
        500,
        "Unable to parse JSON bytes array: ");
  }

  @Test
  @Rule("HTTP-ERROR-23")
  void rejectsDataThatIsNestedTooDeeply() {
    String text = "JSON nesting depth exceeds maximum allowed limit (100)";
    String deep = "[".repeat(200) + "1" + "]".repeat(200);
    rejected(
        infer("identity_int32", request(input("INPUT0", "INT32", "[1]", deep))),
        "Unable to parse 'data': " + text);
    rejected(
        infer(
            "identity_bytes", request(input("INPUT0", "BYTES", "[1]", deep.replace("1", "\"1\"")))),
        text);
  }

  @Test
  @Rule("HTTP-ERROR-24")
  void survivesADocumentOfAQuarterOfAMillionBrackets() {
    rejectedWith(infer("simple", "{\"x\":" + "[".repeat(250_000)), 500, "");
  }

  @Test
  @Rule("HTTP-ERROR-25")
  void rejectsAnElementThatDoesNotFitItsType() {
    var response = infer("identity_uint8", request(input("INPUT0", "UINT8", "[1]", "[256]")));
    assumeThat(response.status()).as("the integer is cut to its low bytes").isNotEqualTo(200);
    rejectedWith(response, "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FP16", "BF16"})
  @Rule("HTTP-ERROR-26")
  void rejectsAHalfPrecisionOutputAsJson(String type) {
    rejectedWith(
        inferBinary(
            "identity_" + type.toLowerCase(Locale.ROOT),
            request(binaryInput("INPUT0", type, "[1]", 2)),
            new byte[2]),
        "sending %s data via JSON is not supported. Please use the binary data format for output"
            .formatted(type));
  }
}
