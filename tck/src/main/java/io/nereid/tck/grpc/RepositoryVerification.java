package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.ModelRepositoryParameter;
import io.nereid.tck.wire.RepositoryIndexRequest;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import io.nereid.tck.wire.RepositoryModelLoadRequest;
import io.nereid.tck.wire.RepositoryModelUnloadRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Calls of the model repository extension, on a server whose models do not change. */
public abstract class RepositoryVerification extends GrpcVerification {
  private static final String NO_REPOSITORY = "'repository_name' specification is not supported";
  private static final String NOT_EXPLICIT =
      "explicit model load / unload is not allowed if polling is enabled";

  private RepositoryCalls models() {
    return new RepositoryCalls(calls());
  }

  @Test
  @Rule("GRPC-REPO-01")
  void listsTheVersionsOfAllModels() {
    var index = models().index(false);

    assertThat(index)
        .containsSubsequence(
            RepositoryCalls.row("simple", "1", "READY", ""),
            RepositoryCalls.row("two_versions", "1", "READY", ""),
            RepositoryCalls.row("two_versions", "3", "READY", ""));
    assertThat(index.stream().map(ModelIndex::getName)).isSorted();
    assertThat(models().index(true)).isEqualTo(index);
  }

  @Test
  @Rule("GRPC-REPO-02")
  void rejectsTheNameOfARepository() {
    var index = RepositoryIndexRequest.newBuilder().setRepositoryName("any").build();
    var load = RepositoryModelLoadRequest.newBuilder().setRepositoryName("any").build();
    var unload = RepositoryModelUnloadRequest.newBuilder().setRepositoryName("any").build();

    rejected(() -> calls().repositoryIndex(index), Status.Code.UNIMPLEMENTED, NO_REPOSITORY);
    rejected(() -> calls().repositoryModelLoad(load), Status.Code.UNIMPLEMENTED, NO_REPOSITORY);
    rejected(() -> calls().repositoryModelUnload(unload), Status.Code.UNIMPLEMENTED, NO_REPOSITORY);
  }

  @Test
  @Rule("GRPC-REPO-03")
  void rejectsLoadAndUnloadUnlessModelsAreControlledByClients() {
    rejectedWith(() -> models().load("simple"), Status.Code.UNAVAILABLE, NOT_EXPLICIT);
    rejectedWith(() -> models().unload("simple", Map.of()), Status.Code.UNAVAILABLE, NOT_EXPLICIT);
  }

  private void loadRejected(String name, ModelRepositoryParameter value, String text) {
    rejected(
        () -> models().load("simple", Map.of(name, value)), Status.Code.INVALID_ARGUMENT, text);
  }

  @Test
  @Rule("GRPC-REPO-04")
  void rejectsALoadParameterOfAnotherKind() {
    String text = "invalid value type for load parameter '%s', expected %s.";
    String config = text.formatted("config", "string_param");
    String file = text.formatted("file:1/a", "bytes_param");

    loadRejected("config", RepositoryCalls.bytes("{}"), config);
    loadRejected("config", RepositoryCalls.flag(true), config);
    loadRejected("config", ModelRepositoryParameter.getDefaultInstance(), config);
    loadRejected("file:1/a", RepositoryCalls.text("YQ=="), file);
    loadRejected("unknown", RepositoryCalls.text("x"), "unrecognized load parameter 'unknown'.");
  }

  @Test
  @Rule("GRPC-REPO-05")
  void rejectsUnloadDependentsThatAreNoBoolean() {
    rejected(
        () -> models().unload("simple", Map.of("unload_dependents", RepositoryCalls.text("true"))),
        Status.Code.INVALID_ARGUMENT,
        "invalid value type for 'unload_dependents' parameter, expected bool_param.");
  }
}
