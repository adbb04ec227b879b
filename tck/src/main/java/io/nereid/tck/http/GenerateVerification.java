package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The generate extension: inference with objects of JSON, and responses as server-sent events. */
public abstract class GenerateVerification extends HttpVerification {
  private static final String EVENTS = "text/event-stream; charset=utf-8";
  private static final String DATA = "data: ";
  private static final String EVENT_END = "\n\n";

  private HttpWire.Response post(String model, String route, String json) {
    return post("/v2/models/" + model + "/" + route, json(json));
  }

  private Object generated(String model, String json) {
    return answered(post(model, "generate", json));
  }

  /** The events of a stream that must begin with that status, as JSON. */
  private List<Object> streamed(String model, String json, int status) {
    HttpWire.Response response = post(model, "generate_stream", json);
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    assertThat(response.header("Content-Type")).isEqualTo(EVENTS);
    String text = response.text();
    assertThat(text).endsWith(EVENT_END);
    List<Object> events =
        Arrays.stream(text.substring(0, text.length() - EVENT_END.length()).split(EVENT_END, -1))
            .map(event -> {
              assertThat(event).startsWith(DATA).doesNotContain("\n");
              return Json.parse(event.substring(DATA.length()).getBytes(UTF_8));
            })
            .toList();
    answersAGoodRequest();
    return events;
  }

  @RuleTable(
      """
      HTTP-GENERATE-01 | identity_bytes | generate            | {"INPUT0":"hello\\n\\u00e9"}      | {"OUTPUT0":"hello\\n\\u00e9","model_name":"identity_bytes","model_version":"1"}
      HTTP-GENERATE-02 | identity_bytes | generate            | {"id":"42","INPUT0":"a"}          | {"id":"42"}
      HTTP-GENERATE-03 | identity_bytes | generate            | {"INPUT0":["a","b"]}              | {"OUTPUT0":["a","b"]}
      HTTP-GENERATE-03 | identity_bool  | generate            | {"INPUT0":[true]}                 | {"OUTPUT0":true}
      HTTP-GENERATE-03 | simple         | generate            | {"INPUT0":[$row],"INPUT1":[$row]} | {"OUTPUT0":[0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30]}
      HTTP-GENERATE-04 | identity_int32 | generate            | {"INPUT0":7,"s":"x","b":true,"timeout":5,"parameters":{"i":-3}} | {"OUTPUT0":7,"s":"x","b":true,"timeout":5,"i":-3}
      HTTP-GENERATE-05 | identity_int32 | generate            | {"parameters":{"INPUT0":7}}       | {"OUTPUT0":7}
      HTTP-GENERATE-10 | repeat         | generate            | {"IN":5}                          | {"OUT":5}
      HTTP-GENERATE-10 | repeat         | versions/1/generate | {"IN":5}                          | {"OUT":5}
      """)
  void respondsWithTheOutputsByName(String model, String route, String json, String expected) {
    Json.assertHas(answered(post(model, route, json)), expected);
  }

  @Rule("HTTP-GENERATE-01")
  void respondsWithTheOutputsThenTheModel() {
    assertThat(members(generated("identity_bytes", "{\"INPUT0\":\"a\"}")))
        .isEqualTo("OUTPUT0 model_name model_version");
  }

  @RuleTable(
      """
      HTTP-GENERATE-06 | repeat         | {"id":"9","IN":[5,6,7]} | 200 | [{"OUT":5,"IDX":0,"id":"9"},{"OUT":6,"IDX":1,"id":"9"},{"OUT":7,"IDX":2,"id":"9"}]
      HTTP-GENERATE-07 | identity_int32 | {"INPUT0":[1,2]}        | 200 | [{"OUTPUT0":[1,2]}]
      # the first event sets the status
      HTTP-GENERATE-08 | repeat         | {"IN":[5,-1]}           | 200 | [{"OUT":5},{"error":"IN[1] is -1"}]
      HTTP-GENERATE-09 | repeat         | {"IN":-1}               | 400 | [{"error":"IN[0] is -1"}]
      """)
  void sendsResponsesAndAFailureAsEvents(String model, String json, int status, String expected) {
    var events = streamed(model, json, status);
    Json.assertHas(events, expected);
    if (expected.contains("error")) {
      assertThat(Json.object(events.getLast())).hasSize(1);
    }
  }

  @Rule("HTTP-GENERATE-11")
  void generateRejectsSeveralResponses() {
    rejected(
        post("repeat", "generate", "{\"IN\":[5,6]}"),
        500,
        "generate expects model to produce exactly 1 response, use generate stream for model that"
            + " generates various number of responses");
  }

  @RuleTable(
      """
      HTTP-GENERATE-12 | absent         | {}                      | 404 | Request for unknown model: 'absent' is not found
      HTTP-GENERATE-12 | repeat         | {"id":"9","other":5}    | 400 | [request id: 9] expected 1 inputs but got 0 inputs for model 'repeat'. Got input(s) [], but missing required input(s) ['IN']. Please provide all required input(s).
      HTTP-GENERATE-13 | identity_int32 | {"INPUT0":"x"}          | 500 | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer...
      HTTP-GENERATE-13 | identity_int32 | {"INPUT0":{}}           | 500 | Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer...
      HTTP-GENERATE-13 | identity_int32 | {"id":5}                | 500 | Unable to parse 'id': attempt to access JSON non-string as string
      HTTP-GENERATE-13 | identity_int32 | {"parameters":1}        | 500 | Expected JSON object for keyword: 'parameters': attempt to access JSON non-object as object
      HTTP-GENERATE-14 | identity_int32 | {"p":[1]}               | 400 | parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'....
      HTTP-GENERATE-14 | identity_int32 | {"parameters":{"p":{}}} | 400 | Converting keyword: 'parameters': parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'....
      HTTP-GENERATE-15 | identity_int32 | {"INPUT0":1,"INPUT0":2} | 400 | [request id: <id_unknown>] input 'INPUT0' already exists in request
      HTTP-GENERATE-16 | simple         | {"INPUT0":[1,2,3]}      | 400 | The schema can not convert input 'INPUT0' to tensor with proper shape...
      """)
  void bothRoutesRejectAsInferDoes(String model, String json, int status, String text) {
    rejected(post(model, "generate", json), status, text);
    rejected(post(model, "generate_stream", json), status, text);
  }

  @RuleCases("HTTP-GENERATE-19")
  @CsvSource({"identity_int32, {\"INPUT0\":[]}", "identity_bytes, {\"INPUT0\":[]}"})
  void takesAnEmptyArrayForATensorWithoutElements(String model, String json) {
    assertThat(Json.list(generated(model, json), "OUTPUT0")).isEmpty();
    var events = streamed(model, json, 200);
    assertThat(Json.list(events.getFirst(), "OUTPUT0")).isEmpty();
  }

  @RuleCases("HTTP-GENERATE-17")
  @ValueSource(strings = {"generate", "generate_stream"})
  void rejectsACompressedBody(String route) {
    var path = "/v2/models/identity_int32/" + route;
    rejected(
        wire().send("POST", path, "{}".getBytes(UTF_8), Map.of("Content-Encoding", "gzip")),
        400,
        "Unsupported content-encoding, only 'identity' is supported.");
  }

  @RuleCases("HTTP-GENERATE-18")
  @ValueSource(strings = {"generate", "generate_stream"})
  void rejectsAnotherMethod(String route) {
    var path = "/v2/models/identity_int32/" + route;
    rejected(get(path), 405, "Method Not Allowed");
  }
}
