package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Polling;
import io.nereid.tck.wire.ModelConfigResponse;
import io.nereid.tck.wire.ModelReadyResponse;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that load and unload models, on a server in explicit mode. */
public abstract class GrpcModelControlVerification extends GrpcVerification {
  private static final String BATCHING =
      "{\"backend\":\"tck_echo\",\"max_batch_size\":4,"
          + "\"input\":[{\"name\":\"INPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}],"
          + "\"output\":[{\"name\":\"OUTPUT0\",\"data_type\":\"TYPE_INT32\",\"dims\":[-1]}]}";

  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    return startControlled(directory);
  }

  private RepositoryFolder repository() {
    return controlled().repository();
  }

  private static String request(String model, String... parameters) {
    return "model_name: '%s' %s".formatted(model, String.join(" ", parameters));
  }

  private static String with(String key, String value) {
    return "parameters { key: '%s' value { %s } }".formatted(key, value);
  }

  private void load(String model, String... parameters) {
    var _ = call("RepositoryModelLoad", request(model, parameters));
  }

  private void unload(String model, String... parameters) {
    var _ = call("RepositoryModelUnload", request(model, parameters));
  }

  private void loadFails(String request, Status.Code code, String text) {
    rejected("RepositoryModelLoad", request, code, text);
  }

  /** A load that fails before a backend is asked. */
  private void pollFails(String model, String... parameters) {
    loadFails(
        request(model, parameters),
        Status.Code.INTERNAL,
        "failed to load '%s', failed to poll from model repository...".formatted(model));
  }

  private List<ModelIndex> rows(String model) {
    return index("").stream().filter(row -> row.getName().equals(model)).toList();
  }

  private boolean isReady(String model) {
    return ((ModelReadyResponse) call("ModelReady", "name: '%s'".formatted(model))).getReady();
  }

  @Rule("GRPC-REPO-06")
  void loadsAModelWithConfigurationAndFiles() {
    load(
        "sent",
        with("config", "string_param: '%s'".formatted(BATCHING)),
        with("file:7/model.txt", "bytes_param: 'any'"));

    var config = (ModelConfigResponse) call("ModelConfig", "name: 'sent'");
    assertThat(config.getConfig().getMaxBatchSize()).isEqualTo(4);
    var infer = request("sent", input("INPUT0", "INT32", 1, 2), ints(4, 5)).setModelVersion("7");
    assertThat(raw(infer(infer), "OUTPUT0")).isEqualTo(ints(4, 5));
    assertThat(rows("sent")).isEmpty();
  }

  @Rule("GRPC-REPO-07")
  void respondsWithTheFailureOfALoad() {
    repository().add("broken", RepositoryFolder.BROKEN, 1);

    loadFails(
        request("broken"),
        Status.Code.INVALID_ARGUMENT,
        "load failed for model 'broken': version 1 is at UNAVAILABLE state: %s;\n"
            .formatted(RepositoryFolder.reasonOfBroken("broken")));
    pollFails("nowhere");
    pollFails("sent_alone", with("file:1/model.txt", "bytes_param: 'any'"));
  }

  @Rule("GRPC-REPO-11")
  void rejectsAFileWithATooLongName() {
    repository().addEcho("long_file");
    pollFails(
        "long_file",
        with("config", "string_param: '{}'"),
        with("file:" + "A".repeat(256), "bytes_param: 'a'"));

    load("long_file");
    assertThat(isReady("long_file")).isTrue();
  }

  @Rule("GRPC-REPO-08")
  void unloadsAModel() {
    repository().addEcho("leaving");
    load("leaving");
    assertThat(isReady("leaving")).isTrue();

    unload("leaving", with("unload_dependents", "bool_param: true"));
    unload("unknown");

    Polling.await(
        () -> rows("leaving"),
        rows -> rows.stream().allMatch(row -> row.getReason().equals("unloaded")));
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

  @Rule("GRPC-REPO-09")
  void showsModelsInEachState() {
    repository().addEcho("a_never_loaded");
    repository().add("a_failed", RepositoryFolder.BROKEN, 1);
    repository().addEcho("a_ready");
    loadFails(request("a_failed"), Status.Code.INVALID_ARGUMENT, "load failed...");
    load("a_ready");

    assertThat(rows("a_never_loaded"))
        .containsExactly(ModelIndex.newBuilder().setName("a_never_loaded").build());
    assertThat(rows("a_failed"))
        .containsExactly(
            row("a_failed", "1", "UNAVAILABLE", RepositoryFolder.reasonOfBroken("a_failed")));
    assertThat(rows("a_ready")).containsExactly(row("a_ready", "1", "READY", ""));
    assertThat(index("ready: true"))
        .contains(row("a_ready", "1", "READY", ""))
        .allMatch(row -> row.getState().equals("READY"));
  }

  @RuleCases({"GRPC-REPO-10", "REPO-25"})
  @ValueSource(strings = {"", " ", "\\t\\n "})
  void rejectsANameOfBlanks(String name) {
    loadFails(
        request(name),
        Status.Code.INVALID_ARGUMENT,
        "Model name cannot be empty. Please enter a valid name to deploy.");
  }

  @RuleCases({"GRPC-REPO-10", "REPO-24"})
  @ValueSource(strings = {"..", "a/b", "../models/simple", "/"})
  void rejectsANameThatLeavesTheRepository(String name) {
    loadFails(
        request(name),
        Status.Code.INVALID_ARGUMENT,
        "invalid model name '%s', model name must not contain path traversal characters"
            .formatted(name));
  }
}
