package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.provider.EnumSource;

/** Inference with JSON tensors. */
public abstract class HttpInferVerification extends HttpVerification {
  @Rule("HTTP-INFER-01")
  void addsAndSubtracts() {
    var response = answer("simple", request(INPUT0, INPUT1));

    Json.assertHas(response, "{\"model_name\":\"simple\",\"model_version\":\"1\"}");
    var sums = "[0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30]";
    Json.assertHas(
        output(response, "OUTPUT0"),
        "{\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":%s}".formatted(sums));
    assertThat(integers(output(response, "OUTPUT1"))).hasSize(16).containsOnly(0L);
  }

  @RuleTable(
      """
      HTTP-INFER-02 | simple                  | {$inputs,"id":"Ü-1"}                                | {"id":"Ü-1"}
      HTTP-INFER-04 | identity_int32          | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[6],"data":[1,2,3,4,5,6]}]}               | {"outputs":[{"data":[1,2,3,4,5,6]}]}
      HTTP-INFER-04 | identity_int32          | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[6],"data":[[1,2,3],[4,5,6]]}]}           | {"outputs":[{"data":[1,2,3,4,5,6]}]}
      HTTP-INFER-04 | identity_int32          | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[6],"data":[[[1]],[2,3],4,[[5,[6]]]]}]}   | {"outputs":[{"data":[1,2,3,4,5,6]}]}
      HTTP-INFER-05 | simple                  | {$inputs,"outputs":[{"name":"OUTPUT1"}]}                    | {"outputs":[{"name":"OUTPUT1"}]}
      HTTP-INFER-20 | simple                  | {$inputs,"outputs":[{"name":"OUTPUT1"},{"name":"OUTPUT0"}]} | {"outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1"}]}
      HTTP-INFER-09 | simple                  | {"later":{"a":[1,{"b":null}]},"model_name":"other",$inputs} | {"model_name":"simple"}
      HTTP-INFER-10 | two_versions            | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1],"data":[1]}]} | {"model_version":"3"}
      HTTP-INFER-10 | two_versions/versions/1 | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1],"data":[1]}]} | {"model_version":"1"}
      HTTP-INFER-10 | two_versions/versions/3 | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1],"data":[1]}]} | {"model_version":"3"}
      HTTP-INFER-11 | optional_inputs         | {"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1],"data":[1.5]}]} | {"outputs":[{}]}
      HTTP-INFER-11 | optional_inputs         | {"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1],"data":[1.5]},{"name":"INPUT1","datatype":"FP32","shape":[1],"data":[2.5]}]} | {"outputs":[{}]}
      HTTP-INFER-14 | identity_int32          | {"outputs":[{"name":"OUTPUT0"}],"inputs":[{"data":[[1,2],[3,4]],"shape":[4],"datatype":"INT32","name":"INPUT0"}],"id":"late"} | {"id":"late","outputs":[{"name":"OUTPUT0","data":[1,2,3,4]}]}
      HTTP-INFER-16 | simple                  | {$inputs,"id":"first","id":"second"}                        | {"id":"first"}
      """)
  void answersWithAtLeast(String model, String json, String expected) {
    Json.assertHas(answer(model, json), expected);
  }

  @Rule("HTTP-INFER-02")
  void sendsNoIdIfNoneCame() {
    assertThat(Json.object(answer("simple", "{$inputs}")).containsKey("id")).isFalse();
  }

  @RuleCases("HTTP-INFER-03")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  void carriesEveryDataTypeThatJsonCan(DataType type) {
    var input = input("INPUT0", type.name(), "[3]", Samples.json(type));
    var output = output(answer(Samples.model(type), request(input)), "OUTPUT0");

    assertThat(Json.member(output, "datatype")).isEqualTo(type.name());
    assertThat(shape(output)).containsExactly(3L);
    assertThat(values(type, Json.list(output, "data")))
        .isEqualTo(values(type, (List<?>) Json.parse(Samples.json(type).getBytes(UTF_8))));
  }

  @Rule("HTTP-INFER-21")
  void writesStringsThatAreNotUtf8AsTheyAre() {
    byte[] element = {1, 0, 0, 0, (byte) 0xff};
    var json = request(binaryInput("INPUT0", "BYTES", "[1]", element.length));

    var response = inferBinary("identity_bytes", json, element);

    assertThat(response.status()).isEqualTo(200);
    assertThat(new String(response.body(), ISO_8859_1)).contains("\"data\":[\"\u00ff\"]");
  }

  @Rule("HTTP-INFER-06")
  void takesSeveralRowsAndAnswersWithFlatData() {
    var output = output(answer("simple", TWO_ROWS), "OUTPUT0");

    assertThat(shape(output)).containsExactly(2L, 16L);
    assertThat(integers(output)).hasSize(32).startsWith(0L, 2L).endsWith(28L, 30L);
  }

  @RuleCases("HTTP-INFER-07")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  void carriesATensorWithoutElements(DataType type) {
    for (String unread : List.of("[]", "[1]")) {
      var input = input("INPUT0", type.name(), "[0]", unread);
      var output = output(answer(Samples.model(type), request(input)), "OUTPUT0");

      assertThat(shape(output)).containsExactly(0L);
      assertThat(Json.list(output, "data")).isEmpty();
    }
  }

  @Rule("HTTP-INFER-08")
  void handsParametersToTheModelAndBack() {
    var parameters =
        "\"parameters\":{\"s\":\"text\",\"i\":-7,\"b\":true,\"d\":0.25,\"e\":9223372036854775808}";
    var input = input("INPUT0", "INT32", "[1]", "[1]");
    var response = answer("identity_int32", requestWith(parameters, input));

    assertThat(members(response)).isEqualTo("model_name model_version parameters outputs");
    var back = Json.member(response, "parameters");

    Json.assertHas(back, "{\"s\":\"text\",\"i\":-7,\"b\":true}");
    assertThat(Json.number(Json.member(back, "d")).doubleValue()).isEqualTo(0.25);
    assertThat(Json.number(Json.member(back, "e")).doubleValue()).isEqualTo(0x1p63);
  }

  @Rule("HTTP-INFER-12")
  void readsAndWritesWhatIsNotFinite() {
    var input = input("INPUT0", "FP32", "[5]", "[NaN,Infinity,-Infinity,Inf,-Inf]");
    var output = output(answer("identity_fp32", request(input)), "OUTPUT0");

    assertThat(Json.list(output, "data").toArray())
        .containsExactly(
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY);
  }

  /** The values of an FP32 tensor that a model copied. */
  private List<Float> floats(String shape, String data) {
    var input = input("INPUT0", "FP32", shape, data);
    return Json.list(output(answer("identity_fp32", request(input)), "OUTPUT0"), "data").stream()
        .map(value -> Json.number(value).floatValue())
        .toList();
  }

  @Rule("HTTP-INFER-13")
  void takesIntegersForFloatingPointValues() {
    assertThat(floats("[3]", "[1,-2,1e3]")).containsExactly(1f, -2f, 1000f);
  }

  @Rule("HTTP-INFER-15")
  void takesWhiteSpaceWhereJsonDoes() {
    var json = request(INPUT0, INPUT1).replace(",", " ,\r\n\t ").replace(":", " : ");
    assertThat(integers(output(answer("simple", json), "OUTPUT1"))).containsOnly(0L);
  }

  @Rule("HTTP-INFER-17")
  void writesMembersInTheOrderOfTheProtocol() {
    var response = Json.object(answer("simple", requestWith("\"id\":\"1\"", INPUT0, INPUT1)));

    assertThat(members(response)).isEqualTo("id model_name model_version outputs");
    assertThat(members(Json.list(response, "outputs").getFirst()))
        .isEqualTo("name datatype shape data");
  }

  @Rule("HTTP-INFER-18")
  void keepsTheBitsOfAFloatThroughJson() {
    assertThat(floats("[4]", "[0.1,1e-45,16777217,1e21]"))
        .containsExactly(0.1f, Float.MIN_VALUE, 16777216f, 1e21f);
  }

  @Rule("HTTP-INFER-19")
  void answersALargeTensor() {
    int count = 200_000;
    var data = "[" + "7,".repeat(count - 1) + "8]";
    var input = input("INPUT0", "INT32", "[" + count + "]", data);
    var answered = integers(output(answer("identity_int32", request(input)), "OUTPUT0"));

    assertThat(answered).hasSize(count).startsWith(7L).endsWith(8L);
  }

  /** 64 requests, several at a time, so that many wait longer than the timeout. */
  @Rule("HTTP-INFER-22")
  void ignoresATimeoutThatTheModelDoesNotLetRequestsSet() throws Exception {
    var json = requestWith("\"parameters\":{\"timeout\":1}", INPUT0, INPUT1);
    try (var executor = Executors.newFixedThreadPool(16)) {
      var answers =
          executor.invokeAll(
              Collections.nCopies(
                  64,
                  () -> {
                    try (var connection = server().connect()) {
                      return answered(infer(connection, "simple", json));
                    }
                  }));
      for (Future<Object> answer : answers) {
        assertThat(integers(output(answer.get(), "OUTPUT1"))).hasSize(16).containsOnly(0L);
      }
    }
  }
}
