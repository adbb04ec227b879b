package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.http.HttpVerification;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tests on a server in explicit mode. Each test has models of its own in the server's repository;
 * the model {@code simple} is loaded all the time.
 */
public abstract class ModelControlVerification extends HttpVerification {
  /** The tensors of {@link RepositoryFolder#ECHO}, as JSON. */
  static final String ECHO_JSON =
      "\"backend\":\"tck_echo\","
          + "\"input\":[{\"name\":\"INPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}],"
          + "\"output\":[{\"name\":\"OUTPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}]";

  /** A request of a model that echoes. */
  static final String ECHO_REQUEST = request(input("INPUT0", "INT32", "[2]", "[4,5]"));

  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    return startControlled(directory);
  }

  final RepositoryFolder repository() {
    return controlled().repository();
  }

  /** A second repository of the server. */
  final RepositoryFolder otherRepository() {
    return controlled().other();
  }

  /** Adds version 1 of a model that echoes, and loads it. */
  final void loadEcho(String model) {
    repository().addEcho(model);
    loaded(load(model));
  }

  final HttpWire.Response load(String model) {
    return load(model, "");
  }

  final HttpWire.Response load(String model, String body) {
    return post("/v2/repository/models/" + model + "/load", body);
  }

  /** Loads a model with parameters, each a name and a value. */
  final HttpWire.Response loadWith(String model, String... parameters) {
    var body = new StringBuilder("{\"parameters\":{");
    for (int i = 0; i < parameters.length; i += 2) {
      body.append(i == 0 ? "\"" : ",\"").append(parameters[i]).append("\":\"");
      body.append(parameters[i + 1].replace("\"", "\\\"")).append('"');
    }
    return load(model, body.append("}}").toString());
  }

  final HttpWire.Response unload(String model) {
    return post("/v2/repository/models/" + model + "/unload", "");
  }

  final HttpWire.Response unloadWithDependents(String model) {
    var body = "{\"parameters\":{\"unload_dependents\":true}}";
    return post("/v2/repository/models/" + model + "/unload", body);
  }

  /** The response to a load or unload that must succeed. */
  static void loaded(HttpWire.Response response) {
    assertThat(response.text()).isEmpty();
    assertThat(response.status()).isEqualTo(200);
  }

  /** Unloads a model and waits until no request of it is left. */
  final void unloaded(String model) {
    loaded(unload(model));
    awaitUnloaded(model);
  }

  /** Waits until all versions of a model are unloaded. */
  final void awaitUnloaded(String model) {
    Polling.await(
        () -> rows(model),
        rows -> !rows.isEmpty() && rows.stream().allMatch(row -> isUnloaded(row)));
  }

  private static boolean isUnloaded(Object row) {
    var members = Json.object(row);
    return "UNAVAILABLE".equals(members.get("state")) && "unloaded".equals(members.get("reason"));
  }

  /** The rows of a model in the index. */
  final List<?> rows(String model) {
    return rows(model, "");
  }

  /** The rows of a model in the index of what is ready. */
  final List<?> readyRows(String model) {
    return rows(model, "{\"ready\":true}");
  }

  private List<?> rows(String model, String body) {
    var response = post("/v2/repository/index", body);
    assertThat(response.status()).as(response.text()).isEqualTo(200);
    return Json.list(Json.parse(response.body())).stream()
        .filter(row -> Json.member(row, "name").equals(model))
        .toList();
  }

  /** Fails unless the index has these rows of a model. */
  final void assertRows(String model, Object... rows) {
    assertThat(rows(model)).isEqualTo(List.of(rows));
  }

  /** The row of a version in a state without a reason. */
  static Map<String, String> row(String model, int version, String state) {
    return Map.of("name", model, "version", Integer.toString(version), "state", state);
  }

  /** The row of a version that is unavailable. */
  static Map<String, String> unavailable(String model, int version, String reason) {
    Map<String, String> row = new HashMap<>(row(model, version, "UNAVAILABLE"));
    row.put("reason", reason);
    return row;
  }

  /** A load that fails with that text and status 400. */
  final void loadFails(HttpWire.Response response, String text) {
    rejected(response, 400, text + "\n");
  }

  /**
   * A load that fails before a backend is asked, and leaves all as it is: status 500. The text may
   * go on with the reason.
   */
  final void pollFails(HttpWire.Response response, String model) {
    rejected(
        response,
        500,
        "failed to load '%s', failed to poll from model repository...".formatted(model));
  }

  /** An inference with a model that echoes, which must succeed; returns the version. */
  final String echo(String model) {
    var response = answer(model, ECHO_REQUEST);
    assertThat(integers(output(response, "OUTPUT0"))).containsExactly(4L, 5L);
    return Json.string(response, "model_version");
  }

  /** The number of inferences of a model's only ready version since it was loaded. */
  final long inferences(String model) {
    var versions = Json.list(answered(get("/v2/models/" + model + "/stats")), "model_stats");
    assertThat(versions).hasSize(1);
    return Json.number(versions.getFirst(), "inference_count");
  }

  /** Runs a model once and waits until it is counted, the first time since it was loaded. */
  final void countOne(String model) {
    echo(model);
    Polling.await(() -> inferences(model), count -> count == 1);
  }

  /** A member of a model's configuration. */
  final Object config(String model, String member) {
    return Json.member(answered(get("/v2/models/" + model + "/config")), member);
  }

  /** Whether a model is ready, by its own endpoint. */
  final boolean isReady(String model) {
    return get("/v2/models/" + model + "/ready").status() == 200;
  }
}
