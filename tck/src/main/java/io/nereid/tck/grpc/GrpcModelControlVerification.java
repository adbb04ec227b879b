package io.nereid.tck.grpc;

import static io.nereid.tck.grpc.GrpcRepositoryCalls.bytes;
import static io.nereid.tck.grpc.GrpcRepositoryCalls.flag;
import static io.nereid.tck.grpc.GrpcRepositoryCalls.row;
import static io.nereid.tck.grpc.GrpcRepositoryCalls.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.ControlledServer;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Polling;
import io.nereid.tck.wire.ModelConfigRequest;
import io.nereid.tck.wire.ModelReadyRequest;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that load and unload models, on a server in explicit mode. */
public abstract class GrpcModelControlVerification extends GrpcVerification {
  private static final String BATCHING =
      "{\"backend\":\"tck_echo\",\"max_batch_size\":4,"
          + "\"input\":[{\"name\":\"INPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}],"
          + "\"output\":[{\"name\":\"OUTPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}]}";

  private @Nullable ControlledServer controlled;

  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    controlled = ControlledServer.explicit(this, directory);
    return controlled.server();
  }

  private RepositoryFolder repository() {
    if (controlled == null) {
      throw new IllegalStateException("the server has not been started");
    }
    return controlled.repository();
  }

  private GrpcRepositoryCalls models() {
    return new GrpcRepositoryCalls(calls());
  }

  private boolean isReady(String model) {
    return calls().modelReady(ModelReadyRequest.newBuilder().setName(model).build()).getReady();
  }

  private void awaitUnloaded(String model) {
    Polling.await(
        () -> models().rows(model),
        rows -> rows.stream().allMatch(row -> row.getReason().equals("unloaded")));
  }

  @Test
  @Rule("GRPC-REPO-06")
  void loadsAModelWithConfigurationAndFiles() {
    models().load("sent", Map.of("config", text(BATCHING), "file:7/model.txt", bytes("any")));

    var config = calls().modelConfig(ModelConfigRequest.newBuilder().setName("sent").build());
    assertThat(config.getConfig().getMaxBatchSize()).isEqualTo(4);
    var infer = request("sent", input("INPUT0", "INT32", 1, 2), ints(4, 5)).setModelVersion("7");
    assertThat(raw(infer(infer), "OUTPUT0")).isEqualTo(ints(4, 5));
    assertThat(models().rows("sent")).isEmpty();
  }

  @Test
  @Rule("GRPC-REPO-07")
  void respondsWithTheFailureOfALoad() {
    repository().add("broken", RepositoryFolder.BROKEN, 1);

    rejected(
        () -> models().load("broken"),
        Status.Code.INVALID_ARGUMENT,
        "load failed for model 'broken': version 1 is at UNAVAILABLE state: %s;\n"
            .formatted(RepositoryFolder.reasonOfBroken("broken")));
    rejected(
        () -> models().load("nowhere"),
        Status.Code.INTERNAL,
        "failed to load 'nowhere', failed to poll from model repository...");
    rejected(
        () -> models().load("sent_alone", Map.of("file:1/model.txt", bytes("any"))),
        Status.Code.INTERNAL,
        "failed to load 'sent_alone', failed to poll from model repository...");
  }

  @Test
  @Rule("GRPC-REPO-11")
  void rejectsAFileWithATooLongName() {
    repository().addEcho("long_file");
    var parameters = Map.of("config", text("{}"), "file:" + "A".repeat(256), bytes("a"));

    rejected(
        () -> models().load("long_file", parameters),
        Status.Code.INTERNAL,
        "failed to load 'long_file', failed to poll from model repository...");

    models().load("long_file");
    assertThat(isReady("long_file")).isTrue();
  }

  @Test
  @Rule("GRPC-REPO-08")
  void unloadsAModel() {
    repository().addEcho("leaving");
    models().load("leaving");
    assertThat(isReady("leaving")).isTrue();

    models().unload("leaving", Map.of("unload_dependents", flag(true)));
    models().unload("unknown", Map.of());

    awaitUnloaded("leaving");
    assertThat(isReady("leaving")).isFalse();
    rejected(
        () -> infer(request("leaving", input("INPUT0", "INT32", 1), ints(4))),
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'leaving' has no available versions");
    rejected(
        () -> infer(request("leaving", input("INPUT0", "INT32", 1), ints(4)).setModelVersion("1")),
        Status.Code.UNAVAILABLE,
        "Request for unknown model: 'leaving' version 1 is not at ready state");
  }

  @Test
  @Rule("GRPC-REPO-09")
  void showsModelsInEachState() {
    repository().addEcho("a_never_loaded");
    repository().add("a_failed", RepositoryFolder.BROKEN, 1);
    repository().addEcho("a_ready");
    rejected(() -> models().load("a_failed"), Status.Code.INVALID_ARGUMENT, "load failed...");
    models().load("a_ready");

    assertThat(models().rows("a_never_loaded"))
        .containsExactly(ModelIndex.newBuilder().setName("a_never_loaded").build());
    assertThat(models().rows("a_failed"))
        .containsExactly(
            row("a_failed", "1", "UNAVAILABLE", RepositoryFolder.reasonOfBroken("a_failed")));
    assertThat(models().rows("a_ready")).containsExactly(row("a_ready", "1", "READY", ""));
    assertThat(models().index(true))
        .contains(row("a_ready", "1", "READY", ""))
        .allMatch(row -> row.getState().equals("READY"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n "})
  @Rule({"GRPC-REPO-10", "REPO-25"})
  void rejectsANameOfBlanks(String name) {
    rejected(
        () -> models().load(name),
        Status.Code.INVALID_ARGUMENT,
        "Model name cannot be empty. Please enter a valid name to deploy.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "a/b", "../models/simple", "/"})
  @Rule({"GRPC-REPO-10", "REPO-24"})
  void rejectsANameThatLeavesTheRepository(String name) {
    rejected(
        () -> models().load(name),
        Status.Code.INVALID_ARGUMENT,
        "invalid model name '%s', model name must not contain path traversal characters"
            .formatted(name));
  }
}
