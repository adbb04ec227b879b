package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The classification extension: the largest elements of an output, as strings. */
public abstract class ClassificationVerification extends HttpVerification {
  private static String classes(String count, String parameters, String input) {
    return requestWith(
        "\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{\"classification\":%s%s}}]"
            .formatted(count, parameters),
        input);
  }

  private Object classified(String model, String count, String type, String shape, String data) {
    var response = answer(model, classes(count, "", input("INPUT0", type, shape, data)));
    return output(response, "OUTPUT0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "identity_fp32|FP32|[1,3,2.5]|3.000000:1,2.500000:2",
        "identity_int32|INT32|[1,-3,2]|2:2,1:0",
        "identity_uint8|UINT8|[7,9,200]|200:2,9:1"
      })
  @Rule("HTTP-CLASS-01")
  void namesTheLargestElementsWithTheirIndices(
      String model, String type, String data, String expected) {
    var output = classified(model, "2", type, "[3]", data);

    assertThat(Json.member(output, "datatype")).isEqualTo("BYTES");
    assertThat(shape(output)).containsExactly(2L);
    assertThat(Json.list(output, "data").stream().map(String::valueOf))
        .containsExactly(expected.split(",", -1));
  }

  @Test
  @Rule("HTTP-CLASS-06")
  void sendsClassesAsBytesIfTheRequestAsksForBinaryData() {
    byte[] classes = Samples.strings("3.000000:1", "2.500000:2");

    HttpWire.Response response =
        infer(
            "identity_fp32",
            classes("2", ",\"binary_data\":true", input("INPUT0", "FP32", "[3]", "[1,3,2.5]")));

    assertThat(response.status()).as(response.text()).isEqualTo(200);
    int head = Integer.parseInt(response.header("Inference-Header-Content-Length"));
    byte[] body = response.body();
    var output = output(Json.object(Arrays.copyOf(body, head)), "OUTPUT0");
    assertThat(Json.member(output, "datatype")).isEqualTo("BYTES");
    assertThat(shape(output)).containsExactly(2L);
    assertThat(Json.member(Json.member(output, "parameters"), "binary_data_size"))
        .isEqualTo(BigDecimal.valueOf(classes.length));
    assertThat(Arrays.copyOfRange(body, head, body.length)).isEqualTo(classes);
  }

  @Test
  @Rule("HTTP-CLASS-02")
  void classifiesEachRowOfABatch() {
    var output = classified("batched_fp32", "1", "FP32", "[2,3]", "[1,2,3,6,5,4]");

    assertThat(shape(output)).containsExactly(2L, 1L);
    assertThat(Json.list(output, "data").stream().map(String::valueOf))
        .containsExactly("3.000000:2", "6.000000:0");
  }

  @Test
  @Rule("HTTP-CLASS-03")
  void namesNoMoreClassesThanThereAreElementsAndNoneForZero() {
    assertThat(shape(classified("identity_int32", "9", "INT32", "[3]", "[1,3,2]")))
        .containsExactly(3L);
    var plain = classified("identity_int32", "0", "INT32", "[3]", "[1,3,2]");
    assertThat(Json.member(plain, "datatype")).isEqualTo("INT32");
    assertThat(integers(plain)).isEqualTo(List.of(1L, 3L, 2L));
  }

  @Test
  @Rule("HTTP-CLASS-04")
  void refusesACountThatIsNoUnsignedInteger() {
    for (String count : List.of("-1", "1.5", "\"2\"")) {
      rejected(
          infer("identity_int32", classes(count, "", input("INPUT0", "INT32", "[3]", "[1,3,2]"))),
          500,
          "Unable to set 'classification': attempt to access JSON non-unsigned-integer as"
              + " unsigned-integer");
    }
  }

  @Test
  @Rule("HTTP-CLASS-05")
  void refusesATypeThatHasNoOrder() {
    rejected(
        infer("identity_bool", classes("1", "", input("INPUT0", "BOOL", "[2]", "[true,false]"))),
        "class result not available for output due to unsupported type 'BOOL'");
  }
}
