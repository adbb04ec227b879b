package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import java.util.List;

/** Calls of the model repository extension, on a server whose models do not change. */
public abstract class GrpcRepositoryVerification extends GrpcVerification {
  @Rule("GRPC-REPO-01")
  void listsTheVersionsOfAllModels() {
    List<ModelIndex> index = index("");

    assertThat(index)
        .containsSubsequence(
            row("simple", "1", "READY", ""),
            row("two_versions", "1", "READY", ""),
            row("two_versions", "3", "READY", ""));
    assertThat(index.stream().map(ModelIndex::getName)).isSorted();
    assertThat(index("ready: true")).isEqualTo(index);
  }

  @RuleTable(
      """
      GRPC-REPO-02 | RepositoryIndex       | repository_name: 'any' | UNIMPLEMENTED    | 'repository_name' specification is not supported
      GRPC-REPO-02 | RepositoryModelLoad   | repository_name: 'any' | UNIMPLEMENTED    | 'repository_name' specification is not supported
      GRPC-REPO-02 | RepositoryModelUnload | repository_name: 'any' | UNIMPLEMENTED    | 'repository_name' specification is not supported
      GRPC-REPO-03 | RepositoryModelLoad   | model_name: 'unknown'   | UNAVAILABLE      | explicit model load / unload is not allowed if polling is enabled...
      GRPC-REPO-03 | RepositoryModelUnload | model_name: 'unknown'   | UNAVAILABLE      | explicit model load / unload is not allowed if polling is enabled...
      GRPC-REPO-04 | RepositoryModelLoad   | model_name: 'unknown' parameters { key: 'config' value { bytes_param: '{}' } }     | INVALID_ARGUMENT | invalid value type for load parameter 'config', expected string_param.
      GRPC-REPO-04 | RepositoryModelLoad   | model_name: 'unknown' parameters { key: 'config' value { bool_param: true } }      | INVALID_ARGUMENT | invalid value type for load parameter 'config', expected string_param.
      GRPC-REPO-04 | RepositoryModelLoad   | model_name: 'unknown' parameters { key: 'config' value {} }                        | INVALID_ARGUMENT | invalid value type for load parameter 'config', expected string_param.
      GRPC-REPO-04 | RepositoryModelLoad   | model_name: 'unknown' parameters { key: 'file:1/a' value { string_param: 'YQ==' } } | INVALID_ARGUMENT | invalid value type for load parameter 'file:1/a', expected bytes_param.
      GRPC-REPO-04 | RepositoryModelLoad   | model_name: 'unknown' parameters { key: 'unknown' value { string_param: 'x' } }    | INVALID_ARGUMENT | unrecognized load parameter 'unknown'.
      GRPC-REPO-05 | RepositoryModelUnload | model_name: 'unknown' parameters { key: 'unload_dependents' value { string_param: 'true' } } | INVALID_ARGUMENT | invalid value type for 'unload_dependents' parameter, expected bool_param.
      """)
  void rejects(String method, String request, Status.Code code, String text) {
    rejected(method, request, code, text);
  }
}
