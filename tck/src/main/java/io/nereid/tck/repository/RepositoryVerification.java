package io.nereid.tck.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.http.HttpVerification;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and paths of the model repository extension, on a server whose models do not change. */
public abstract class RepositoryVerification extends HttpVerification {
  private static List<?> index(HttpWire.Response response) {
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.header("Content-Type")).startsWith("application/json");
    if (Json.parse(response.body()) instanceof List<?> rows) {
      return rows;
    }
    throw new AssertionError("not an array: " + response.text());
  }

  private static List<?> rowsOf(String model, List<?> index) {
    return index.stream().filter(row -> Json.member(row, "name").equals(model)).toList();
  }

  @Rule("HTTP-REPO-01")
  void listsTheVersionsOfAllModels() {
    var index = index(post("/v2/repository/index", ""));

    var one = Map.of("name", "two_versions", "version", "1", "state", "READY");
    var three = Map.of("name", "two_versions", "version", "3", "state", "READY");
    assertThat(rowsOf("two_versions", index)).asInstanceOf(LIST).containsExactly(one, three);
    assertThat(rowsOf("simple", index))
        .singleElement()
        .satisfies(row -> assertThat(members(row)).isEqualTo("name version state"));
    assertThat(index.stream().map(row -> Json.string(row, "name"))).isSorted();
  }

  @RuleCases("HTTP-REPO-02")
  @ValueSource(strings = {"", "{}", "{\"ready\":false}", "{\"ready\":true}", "{\"other\":1}"})
  void listsModelsThatAreReady(String body) {
    assertThat(rowsOf("simple", index(post("/v2/repository/index", body)))).hasSize(1);
  }

  @Rule("HTTP-REPO-03")
  void ignoresTheNameOfARepositoryInTheIndex() {
    assertThat(index(post("/v2/repository/any/index", "")))
        .isEqualTo(index(post("/v2/repository/index", "")));
  }

  @RuleTable(
      """
      HTTP-REPO-04 | POST   | index                       | {"ready":1}      | 400 | Invalid value for 'ready': expected a boolean
      HTTP-REPO-04 | POST   | index                       | {"ready":"true"} | 400 | Invalid value for 'ready': expected a boolean
      HTTP-REPO-04 | POST   | index                       | {"ready":null}   | 400 | Invalid value for 'ready': expected a boolean
      HTTP-REPO-04 | POST   | index                       | {"ready":[true]} | 400 | Invalid value for 'ready': expected a boolean
      HTTP-REPO-04 | POST   | index                       | {"ready":{}}     | 400 | Invalid value for 'ready': expected a boolean
      HTTP-REPO-06 | POST   | index                       | x                | 500 | failed to parse the request JSON buffer: ...
      HTTP-REPO-06 | POST   | index                       | {"parameters":   | 500 | failed to parse the request JSON buffer: ...
      HTTP-REPO-07 | GET    | index                       | ``               | 405 | Method Not Allowed
      HTTP-REPO-07 | PUT    | any/index                   | ``               | 405 | Method Not Allowed
      HTTP-REPO-07 | GET    | models/simple/load          | ``               | 405 | Method Not Allowed
      HTTP-REPO-07 | DELETE | models/simple/unload        | ``               | 405 | Method Not Allowed
      HTTP-REPO-08 | POST   | index/                      | ``               | 404 | Not Found
      HTTP-REPO-08 | POST   | models/simple               | ``               | 404 | Not Found
      HTTP-REPO-08 | POST   | models/simple/reload        | ``               | 404 | Not Found
      HTTP-REPO-08 | POST   | models/simple/load/         | ``               | 404 | Not Found
      HTTP-REPO-09 | POST   | any/models/unknown/load     | ``               | 501 | 'repository_name' specification is not supported
      HTTP-REPO-09 | POST   | any/models/unknown/unload   | ``               | 501 | 'repository_name' specification is not supported
      HTTP-REPO-10 | POST   | models/unknown/load          | ``              | 503 | explicit model load / unload is not allowed if polling is enabled...
      HTTP-REPO-10 | POST   | models/unknown/load          | {}              | 503 | explicit model load / unload is not allowed if polling is enabled...
      HTTP-REPO-10 | POST   | models/unknown/load          | {"parameters":{}} | 503 | explicit model load / unload is not allowed if polling is enabled...
      HTTP-REPO-10 | POST   | models/unknown/unload        | ``              | 503 | explicit model load / unload is not allowed if polling is enabled...
      HTTP-REPO-10 | POST   | models/unknown/unload        | {}              | 503 | explicit model load / unload is not allowed if polling is enabled...
      HTTP-REPO-10 | POST   | models/unknown/unload        | {"parameters":{}} | 503 | explicit model load / unload is not allowed if polling is enabled...
      """)
  void rejects(String method, String target, String json, int status, String text) {
    rejected(send(method, "/v2/repository/" + target, json), status, text);
  }

  @Rule("HTTP-REPO-08")
  void respondsNotFoundToThePathOfTheRepository() {
    rejected(post("/v2/repository", ""), 404, "Not Found");
  }

  @Rule("HTTP-REPO-05")
  void survivesADeeplyNestedBody() {
    int depth = 1_000_000;
    var nested =
        post("/v2/repository/index", "{\"ready\":" + "[".repeat(depth) + "]".repeat(depth) + "}");

    assertThat(nested.status()).as(nested.text()).isEqualTo(400);
    index(post("/v2/repository/index", ""));
  }

  @Rule("HTTP-REPO-14")
  void readsAChunkedBody() {
    var chunked =
        """
        POST /v2/repository/index HTTP/1.1\r
        Host: x\r
        Transfer-Encoding: chunked\r
        \r
        5\r
        {"rea\r
        6\r
        dy":1}\r
        0\r
        \r
        """;
    rejected(
        wire().exchange(chunked.getBytes(UTF_8)), "Invalid value for 'ready': expected a boolean");
  }

  @Rule("REPO-01")
  void namesTheExtensionInTheMetadataOfTheServer() {
    assertThat(Json.list(Json.parse(get("/v2").body()), "extensions").toArray())
        .contains("model_repository", "model_repository(unload_dependents)");
  }
}
