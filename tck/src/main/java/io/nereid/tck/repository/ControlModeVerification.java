package io.nereid.tck.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.nereid.tck.ControlledServer;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerFactoryResolver;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What each control mode loads, each on a server of its own, started as those of a {@link
 * io.nereid.tck.ServerVerification} are.
 */
@ExtendWith(ServerFactoryResolver.class)
public abstract class ControlModeVerification {
  @SuppressWarnings("NullAway.Init") // by use()
  private ServerFactory servers;

  @BeforeEach
  void use(ServerFactory factory) {
    servers = factory;
  }

  private static HttpWire.Response send(
      ControlledServer server, String method, String target, String body) {
    try (var wire = server.server().connect()) {
      return wire.send(method, target, body.getBytes(UTF_8), Map.of());
    }
  }

  private static HttpWire.Response post(ControlledServer server, String target) {
    return send(server, "POST", target, "");
  }

  private static Object row(String model, String state) {
    return Map.of("name", model, "version", "1", "state", state);
  }

  private static List<?> index(ControlledServer server) {
    return Json.list(Json.parse(post(server, "/v2/repository/index").body()));
  }

  private static void rejectsControl(ControlledServer server) {
    for (String action : List.of("load", "unload")) {
      var response = post(server, "/v2/repository/models/simple/" + action);
      assertThat(response.status()).isEqualTo(503);
      assertThat(Json.string(Json.parse(response.body()), "error"))
          .startsWith("explicit model load / unload is not allowed if polling is enabled");
    }
    assertThat(index(server)).asInstanceOf(LIST).contains(row("simple", "READY"));
  }

  @Rule("REPO-02")
  void loadsTheNamedModelsInExplicitMode(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.EXPLICIT, "simple")) {
      assertIndex(prepared, Map.of("name", "other"), row("simple", "READY"));
    }
  }

  @Rule("REPO-03")
  void loadsNothingInExplicitModeUnlessNamed(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.EXPLICIT)) {
      assertIndex(prepared, Map.of("name", "other"), Map.of("name", "simple"));
    }
  }

  @Rule("REPO-04")
  void loadsAllModelsInExplicitModeForAStar(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.EXPLICIT, "*")) {
      assertIndex(prepared, row("other", "READY"), row("simple", "READY"));
      assertThat(post(prepared, "/v2/repository/models/simple/unload").status()).isEqualTo(200);
    }
  }

  @Rule("REPO-05")
  void loadsAllModelsInModeNoneAndNoOtherOnes(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.NONE)) {
      assertIndex(prepared, row("other", "READY"), row("simple", "READY"));
      prepared.repository().addEcho("late");
      rejectsControl(prepared);
      assertThat(index(prepared)).asInstanceOf(LIST).contains(Map.of("name", "late"));
    }
  }

  @Rule("REPO-06")
  void rejectsLoadAndUnloadInPollMode(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.POLL)) {
      rejectsControl(prepared);
    }
  }

  @Rule("REPO-07")
  void followsTheRepositoryInPollMode(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.POLL)) {
      prepared.repository().addEcho("late");
      Polling.await(() -> index(prepared), rows -> rows.contains(row("late", "READY")));

      prepared.repository().write("late", "2/model.txt", "new");
      var second = Map.of("name", "late", "version", "2", "state", "READY");
      Polling.await(() -> index(prepared), rows -> rows.contains(second));

      prepared.repository().remove("late");
      Polling.await(
          () ->
              send(prepared, "POST", "/v2/models/late/infer", ModelControlVerification.ECHO_REQUEST)
                  .status(),
          status -> status == 404 || status == 503);
    }
  }

  @Rule("REPO-56")
  void isNotReadyWhileAVersionThatWasAskedForHasFailed(@TempDir Path directory) throws Exception {
    try (var prepared = prepared(directory, ModelControlMode.EXPLICIT, "simple")) {
      prepared.repository().add("failing", RepositoryFolder.BROKEN, 1);
      assertThat(get(prepared, "/v2/health/ready")).isEqualTo(200);

      assertThat(post(prepared, "/v2/repository/models/failing/load").status()).isEqualTo(400);

      assertThat(get(prepared, "/v2/health/ready")).isEqualTo(400);
      assertThat(get(prepared, "/v2/health/live")).isEqualTo(200);
      prepared.repository().configure("failing", RepositoryFolder.ECHO);
      assertThat(post(prepared, "/v2/repository/models/failing/load").status()).isEqualTo(200);
      assertThat(get(prepared, "/v2/health/ready")).isEqualTo(200);
    }
  }

  private static int get(ControlledServer server, String target) {
    return send(server, "GET", target, "").status();
  }

  private static void assertIndex(ControlledServer server, Object... rows) {
    assertThat(index(server)).isEqualTo(List.of(rows));
  }

  /** A server of the models {@code simple} and {@code other}. */
  private ControlledServer prepared(Path directory, ModelControlMode mode, String... startupModels)
      throws Exception {
    RepositoryFolder.at(directory.resolve("models")).addEcho("other");
    return ControlledServer.start(servers, directory, mode, startupModels);
  }
}
