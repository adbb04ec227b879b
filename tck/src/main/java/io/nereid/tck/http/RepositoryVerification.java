package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and paths of the model repository extension, on a server whose models do not change. */
public abstract class RepositoryVerification extends HttpVerification {
  private static final String NOT_EXPLICIT =
      "explicit model load / unload is not allowed if polling is enabled";

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

  private HttpWire.Response load(String body) {
    return post("/v2/repository/models/identity_int32/load", body);
  }

  private HttpWire.Response unload(String body) {
    return post("/v2/repository/models/identity_int32/unload", body);
  }

  @Test
  @Rule("HTTP-REPO-01")
  void listsTheVersionsOfAllModels() {
    var index = index(post("/v2/repository/index", ""));

    var one = Map.of("name", "two_versions", "version", "1", "state", "READY");
    var three = Map.of("name", "two_versions", "version", "3", "state", "READY");
    assertThat(rowsOf("two_versions", index)).asInstanceOf(LIST).containsExactly(one, three);
    assertThat(rowsOf("simple", index))
        .singleElement()
        .satisfies(row -> assertThat(members(row)).isEqualTo("name version state"));
    assertThat(index.stream().map(row -> (String) Json.member(row, "name"))).isSorted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"ready\":false}", "{\"ready\":true}", "{\"other\":1}"})
  @Rule("HTTP-REPO-02")
  void listsModelsThatAreReady(String body) {
    assertThat(rowsOf("simple", index(post("/v2/repository/index", body)))).hasSize(1);
  }

  @Test
  @Rule("HTTP-REPO-03")
  void ignoresTheNameOfARepositoryInTheIndex() {
    assertThat(index(post("/v2/repository/any/index", "")))
        .isEqualTo(index(post("/v2/repository/index", "")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"true\"", "null", "[true]", "{}"})
  @Rule("HTTP-REPO-04")
  void rejectsAReadyThatIsNoBoolean(String ready) {
    rejected(
        post("/v2/repository/index", "{\"ready\":" + ready + "}"),
        "Invalid value for 'ready': expected a boolean");
  }

  @Test
  @Rule("HTTP-REPO-05")
  void survivesADeeplyNestedBody() {
    int depth = 1_000_000;
    var nested =
        post("/v2/repository/index", "{\"ready\":" + "[".repeat(depth) + "]".repeat(depth) + "}");

    assertThat(nested.status()).as(nested.text()).isEqualTo(400);
    index(post("/v2/repository/index", ""));
  }

  @Test
  @Rule("HTTP-REPO-06")
  void rejectsABodyThatIsNotJson() {
    String target = "/v2/repository/index";
    rejectedWith(post(target, "x"), 500, "failed to parse the request JSON buffer: ");
    rejectedWith(
        post(target, "{\"parameters\":"), 500, "failed to parse the request JSON buffer: ");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v2/repository/index",
    "PUT,/v2/repository/any/index",
    "GET,/v2/repository/models/simple/load",
    "DELETE,/v2/repository/models/simple/unload"
  })
  @Rule("HTTP-REPO-07")
  void respondsMethodNotAllowedToTheWrongMethod(String method, String target) {
    rejected(wire().send(method, target, new byte[0], Map.of()), 405, "Method Not Allowed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v2/repository",
        "/v2/repository/index/",
        "/v2/repository/models/simple",
        "/v2/repository/models/simple/reload",
        "/v2/repository/models/simple/load/"
      })
  @Rule("HTTP-REPO-08")
  void respondsNotFoundToAnUnknownPath(String target) {
    rejected(post(target, ""), 404, "Not Found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"load", "unload"})
  @Rule("HTTP-REPO-09")
  void rejectsTheNameOfARepository(String action) {
    rejected(
        post("/v2/repository/any/models/simple/" + action, ""),
        501,
        "'repository_name' specification is not supported");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"parameters\":{}}"})
  @Rule("HTTP-REPO-10")
  void rejectsLoadAndUnloadUnlessModelsAreControlledByClients(String body) {
    rejectedWith(load(body), 503, NOT_EXPLICIT);
    rejectedWith(unload(body), 503, NOT_EXPLICIT);
    rejectedWith(post("/v2/repository/models/unknown/unload", body), 503, NOT_EXPLICIT);
  }

  @Test
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

  @Test
  @Rule("REPO-01")
  void namesTheExtensionInTheMetadataOfTheServer() {
    assertThat(Json.list(Json.parse(get("/v2").body()), "extensions").toArray())
        .contains("model_repository", "model_repository(unload_dependents)");
  }
}
