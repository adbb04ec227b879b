package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the Open Inference Protocol says of HTTP, and nothing more: members in any order and beside
 * others, data nested or flat, any text and status of an error.
 */
public abstract class HttpStandardVerification extends HttpVerification {
  private static final List<Long> SUMS =
      List.of(0L, 2L, 4L, 6L, 8L, 10L, 12L, 14L, 16L, 18L, 20L, 22L, 24L, 26L, 28L, 30L);

  @RuleCases("HTTP-STANDARD-01")
  @ValueSource(strings = {"/v2/health/live", "/v2/health/ready"})
  void isLiveAndReady(String target) {
    assertThat(get(target).status()).isEqualTo(200);
  }

  @Rule("HTTP-STANDARD-02")
  void saysThatAModelIsReady() {
    assertThat(get("/v2/models/simple/ready").status()).isEqualTo(200);
  }

  @Rule("HTTP-STANDARD-03")
  void namesItselfAndItsExtensions() {
    Object metadata = json(get("/v2"));
    assertThat(Json.member(metadata, "name")).isInstanceOf(String.class);
    assertThat(Json.member(metadata, "version")).isInstanceOf(String.class);
    assertThat(Json.list(metadata, "extensions")).allMatch(String.class::isInstance);
  }

  @Rule("HTTP-STANDARD-04")
  void describesAModel() {
    Object metadata = json(get("/v2/models/simple"));
    assertThat(Json.member(metadata, "name")).isEqualTo("simple");
    assertThat(Json.member(metadata, "platform")).isInstanceOf(String.class);
    assertThat(tensors(metadata, "inputs")).containsExactlyInAnyOrder("INPUT0", "INPUT1");
    assertThat(tensors(metadata, "outputs")).containsExactlyInAnyOrder("OUTPUT0", "OUTPUT1");
  }

  private static List<Object> tensors(Object metadata, String member) {
    return Json.list(metadata, member).stream()
        .map(tensor -> {
          assertThat(Json.member(tensor, "datatype")).isEqualTo("INT32");
          assertThat(shape(tensor)).endsWith(16L);
          return Json.member(tensor, "name");
        })
        .toList();
  }

  @Rule("HTTP-STANDARD-05")
  void infers() {
    Object response = json(infer("simple", "{$inputs}"));
    assertThat(Json.member(response, "model_name")).isEqualTo("simple");
    Object sums = output(response, "OUTPUT0");
    assertThat(Json.member(sums, "datatype")).isEqualTo("INT32");
    assertThat(shape(sums)).containsExactly(1L, 16L);
    assertThat(numbers(sums)).isEqualTo(SUMS);
    assertThat(numbers(output(response, "OUTPUT1"))).hasSize(16).containsOnly(0L);
  }

  @Rule("HTTP-STANDARD-06")
  void returnsTheIdOfARequest() {
    assertThat(Json.member(json(infer("simple", "{$inputs,\"id\":\"42\"}")), "id")).isEqualTo("42");
  }

  @Rule("HTTP-STANDARD-07")
  void returnsTheOutputsThatAreRequested() {
    Object response = json(infer("simple", "{$inputs,\"outputs\":[{\"name\":\"OUTPUT1\"}]}"));
    assertThat(Json.list(response, "outputs")).hasSize(1);
    assertThat(numbers(output(response, "OUTPUT1"))).hasSize(16).containsOnly(0L);
  }

  @RuleCases("HTTP-STANDARD-08")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FP16", "BF16"})
  void carriesEveryDataType(DataType type) {
    var input = input("INPUT0", type.name(), "[3]", Samples.json(type));
    Object output = output(json(infer(Samples.model(type), request(input))), "OUTPUT0");
    assertThat(Json.member(output, "datatype")).isEqualTo(type.name());
    assertThat(shape(output)).containsExactly(3L);
    assertThat(values(type, leaves(Json.list(output, "data")).toList()))
        .isEqualTo(values(type, (List<?>) Json.parse(Samples.json(type).getBytes(UTF_8))));
  }

  @RuleCases("HTTP-STANDARD-09")
  @ValueSource(strings = {"[1,2,3,4,5,6]", "[[1,2,3],[4,5,6]]"})
  void takesDataFlatAndNested(String data) {
    var input = input("INPUT0", "FP32", "[2,3]", data);
    Object output = output(json(infer("batched_fp32", request(input))), "OUTPUT0");
    assertThat(numbers(output)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
  }

  @Rule("HTTP-STANDARD-10")
  void takesARowForEachOfABatch() {
    Object sums = output(json(infer("simple", TWO_ROWS)), "OUTPUT0");
    assertThat(shape(sums)).containsExactly(2L, 16L);
    assertThat(numbers(sums)).hasSize(32).startsWith(0L, 2L).endsWith(28L, 30L);
  }

  @RuleCases("HTTP-STANDARD-11")
  @ValueSource(
      strings = {
        "{\"inputs\":[{\"data\":[1,2],\"shape\":[2],\"datatype\":\"INT32\",\"name\":\"INPUT0\"}],\"id\":\"1\"}",
        " {\n \"inputs\" : [ { \"name\" : \"INPUT0\",\t\"datatype\" : \"INT32\", \"shape\" : [ 2 ],\r\n \"data\" : [ 1 , 2 ] } ] } "
      })
  void takesMembersInAnyOrderAndWhiteSpace(String json) {
    assertThat(numbers(output(json(infer("identity_int32", json)), "OUTPUT0")))
        .containsExactly(1L, 2L);
  }

  @Rule("HTTP-STANDARD-12")
  void namesAnUnknownModelAsAnError() {
    fails(get("/v2/models/tck_unknown"));
    fails(infer("tck_unknown", "{$inputs}"));
  }

  @RuleCases("HTTP-STANDARD-13")
  @ValueSource(
      strings = {
        "this is not JSON",
        "{}",
        "{\"inputs\":[]}",
        "{\"inputs\":[$0]}",
        "{\"inputs\":[$0,{\"name\":\"INPUT1\",\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":[1]}]}",
        "{\"inputs\":[$0,{\"name\":\"OTHER\",\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":[$row]}]}",
        "{\"inputs\":[$0,{\"name\":\"INPUT1\",\"datatype\":\"INT33\",\"shape\":[1,16],\"data\":[$row]}]}"
      })
  void saysWhatIsWrongWithARequest(String json) {
    fails(infer("simple", json));
    try (var next = server().connect()) { // a server may close the first after an error
      assertThat(numbers(output(json(infer(next, "simple", "{$inputs}")), "OUTPUT0")))
          .isEqualTo(SUMS);
    }
  }

  private static void fails(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isBetween(400, 599);
    assertThat(Json.member(Json.object(response.body()), "error")).isInstanceOf(String.class);
  }

  /** What a successful response says. */
  private static Object json(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.object(response.body());
  }

  /** An output's integers, in the order of the leaves. */
  private static List<Long> numbers(Object output) {
    return leaves(Json.list(output, "data")).map(Json::int64).toList();
  }

  private static Stream<Object> leaves(List<?> data) {
    return data.stream()
        .flatMap(each -> each instanceof List<?> nested ? leaves(nested) : Stream.of(each));
  }
}
