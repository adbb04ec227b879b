package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import java.util.List;

/** The classification extension: the largest elements of an output, as strings. */
public abstract class HttpClassificationVerification extends HttpVerification {
  private static String classes(String count, String type, String shape, String data) {
    return requestWith(
        "\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{\"classification\":%s}}]"
            .formatted(count),
        input("INPUT0", type, shape, data));
  }

  private Object classified(String model, String count, String type, String shape, String data) {
    return output(answer(model, classes(count, type, shape, data)), "OUTPUT0");
  }

  @RuleTable(
      """
      HTTP-CLASS-01 | identity_fp32  | 2 | FP32  | [3]   | [1,3,2.5]     | [2]   | 3.000000:1,2.500000:2
      HTTP-CLASS-01 | identity_int32 | 2 | INT32 | [3]   | [1,-3,2]      | [2]   | 2:2,1:0
      HTTP-CLASS-01 | identity_uint8 | 2 | UINT8 | [3]   | [7,9,200]     | [2]   | 200:2,9:1
      HTTP-CLASS-02 | batched_fp32   | 1 | FP32  | [2,3] | [1,2,3,6,5,4] | [2,1] | 3.000000:2,6.000000:0
      HTTP-CLASS-03 | identity_int32 | 9 | INT32 | [3]   | [1,3,2]       | [3]   | 3:1,2:2,1:0
      """)
  void namesTheLargestElementsOfEachRowWithTheirIndices(
      String model,
      String count,
      String type,
      String shape,
      String data,
      String outputShape,
      String expected) {
    var output = classified(model, count, type, shape, data);
    assertThat(Json.member(output, "datatype")).isEqualTo("BYTES");
    assertThat(Json.member(output, "shape")).hasToString(outputShape.replace(",", ", "));
    assertThat(Json.list(output, "data").stream().map(String::valueOf))
        .containsExactly(expected.split(",", -1));
  }

  @Rule("HTTP-CLASS-06")
  void sendsClassesAsBytesIfTheRequestAsksForBinaryData() {
    byte[] classes = Samples.strings("3.000000:1", "2.500000:2");
    var json = classes("2,\"binary_data\":true", "FP32", "[3]", "[1,3,2.5]");
    var response = BinaryResponse.of(infer("identity_fp32", json));
    var output = output(response.json(), "OUTPUT0");
    assertThat(Json.member(output, "datatype")).isEqualTo("BYTES");
    assertThat(shape(output)).containsExactly(2L);
    assertThat(response.binarySize("OUTPUT0")).isEqualTo(classes.length);
    assertThat(response.blobs()).isEqualTo(classes);
  }

  @Rule("HTTP-CLASS-03")
  void namesNoClassesForACountOfZero() {
    var plain = classified("identity_int32", "0", "INT32", "[3]", "[1,3,2]");
    assertThat(Json.member(plain, "datatype")).isEqualTo("INT32");
    assertThat(integers(plain)).isEqualTo(List.of(1L, 3L, 2L));
  }

  @RuleTable(
      """
      HTTP-CLASS-04 | identity_int32 | -1  | INT32 | [1,3,2]      | 500 | Unable to set 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-CLASS-04 | identity_int32 | 1.5 | INT32 | [1,3,2]      | 500 | Unable to set 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-CLASS-04 | identity_int32 | "2" | INT32 | [1,3,2]      | 500 | Unable to set 'classification': attempt to access JSON non-unsigned-integer as unsigned-integer
      HTTP-CLASS-05 | identity_bool  | 1   | BOOL  | [true,false,true] | 400 | class result not available for output due to unsupported type 'BOOL'
      """)
  void refusesACountThatIsNoUnsignedIntegerAndATypeThatHasNoOrder(
      String model, String count, String type, String data, int status, String text) {
    rejected(infer(model, classes(count, type, "[3]", data)), status, text);
  }
}
