package io.nereid.tck.http;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tensors whose data cannot be converted: each gets its status and text, and has no effect on the
 * next request.
 */
public abstract class DataErrorVerification extends HttpVerification {
  @RuleTable(
      """
      HTTP-ERROR-15 | INT32 | [4294967296,4294967296] | [1]       | 400 | invalid shape for input 'INPUT0': shape [4294967296,4294967296] causes total element count to exceed maximum size of 9223372036854775807
      HTTP-ERROR-16 | INT32 | [4611686018427387904]   | [1]       | 400 | byte size overflow for input 'INPUT0': element count (4611686018427387904) * data type size (4) exceeds maximum allowed size (9223372036854775807)
      HTTP-ERROR-17 | INT33 | [1,16]                  | [$row]    | 400 | invalid datatype for input INPUT0
      HTTP-ERROR-19 | INT32 | [1,16]                  | [1,2,3]   | 500 | Failed to parse 'data' field: shape does not match true shape
      HTTP-ERROR-20 | INT32 | [1,16]                  | [$row,16] | 500 | Unable to parse 'data': Shape does not match true shape of 'data' field
      """)
  void rejectsAnInputBesideAnotherThatIsRight(
      String type, String shape, String data, int status, String text) {
    rejected(infer("simple", request(input("INPUT0", type, shape, data), INPUT1)), status, text);
  }

  @RuleTable(
      """
      HTTP-ERROR-18 | FP16   | 1.0  | 400 | receiving FP16 data via JSON is not supported. Please use the binary data format for input INPUT0
      HTTP-ERROR-18 | BF16   | 1.0  | 400 | receiving BF16 data via JSON is not supported. Please use the binary data format for input INPUT0
      HTTP-ERROR-21 | INT32  | 1.0  | 500 | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer...
      HTTP-ERROR-21 | INT32  | 1e0  | 500 | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer...
      HTTP-ERROR-21 | INT32  | true | 500 | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer...
      HTTP-ERROR-21 | UINT8  | -1   | 500 | Unable to parse 'data': attempt to access JSON non-unsigned-integer as unsigned-integer...
      HTTP-ERROR-21 | UINT64 | 18446744073709551616 | 500 | Unable to parse 'data': attempt to access JSON non-unsigned-integer as unsigned-integer...
      HTTP-ERROR-21 | BOOL   | 1    | 500 | Unable to parse 'data': attempt to access JSON non-boolean as boolean...
      HTTP-ERROR-21 | FP32   | "1"  | 500 | Unable to parse 'data': attempt to access JSON non-number as double...
      HTTP-ERROR-21 | FP32   | null | 500 | Unable to parse 'data': attempt to access JSON non-number as double...
      HTTP-ERROR-22 | BYTES  | 1    | 500 | Unable to parse JSON bytes array: ...
      """)
  void rejectsAnElement(DataType type, String element, int status, String text) {
    rejected(inferElement(type, element), status, text);
  }

  private HttpWire.Response inferElement(DataType type, String element) {
    var input = input("INPUT0", type.name(), "[1]", "[" + element + "]");
    return infer(Samples.model(type), request(input));
  }

  @Rule("HTTP-ERROR-23")
  void rejectsDataThatIsNestedTooDeeply() {
    String text = "JSON nesting depth exceeds maximum allowed limit (100)";
    String deep = "[".repeat(199) + "1" + "]".repeat(199);
    rejected(inferElement(DataType.INT32, deep), "Unable to parse 'data': " + text);
    rejected(inferElement(DataType.BYTES, deep.replace("1", "\"1\"")), text);
  }

  @Rule("HTTP-ERROR-24")
  void survivesADocumentOfAQuarterOfAMillionBrackets() {
    rejected(infer("simple", "{\"x\":" + "[".repeat(250_000)), 500, "...");
  }

  @Rule("HTTP-ERROR-25")
  void rejectsAnElementThatDoesNotFitItsType() {
    var response = inferElement(DataType.UINT8, "256");
    assumeThat(response.status()).as("the integer is cut to its low bytes").isNotEqualTo(200);
    rejected(response, "...");
  }

  @RuleCases("HTTP-ERROR-26")
  @EnumSource(names = {"FP16", "BF16"})
  void rejectsAHalfPrecisionOutputAsJson(DataType type) {
    rejected(
        inferBinary(
            Samples.model(type),
            request(binaryInput("INPUT0", type.name(), "[1]", 2)),
            new byte[2]),
        "sending %s data via JSON is not supported. Please use the binary data format for output..."
            .formatted(type));
  }
}
