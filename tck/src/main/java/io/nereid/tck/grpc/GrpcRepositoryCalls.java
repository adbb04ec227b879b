package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.tck.wire.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.tck.wire.ModelRepositoryParameter;
import io.nereid.tck.wire.RepositoryIndexRequest;
import io.nereid.tck.wire.RepositoryIndexResponse.ModelIndex;
import io.nereid.tck.wire.RepositoryModelLoadRequest;
import io.nereid.tck.wire.RepositoryModelUnloadRequest;
import java.util.List;
import java.util.Map;

/** The calls of the model repository extension. A call that is not OK throws. */
record GrpcRepositoryCalls(GRPCInferenceServiceBlockingStub stub) {
  static ModelRepositoryParameter flag(boolean value) {
    return ModelRepositoryParameter.newBuilder().setBoolParam(value).build();
  }

  static ModelRepositoryParameter text(String value) {
    return ModelRepositoryParameter.newBuilder().setStringParam(value).build();
  }

  static ModelRepositoryParameter bytes(String value) {
    return ModelRepositoryParameter.newBuilder()
        .setBytesParam(ByteString.copyFromUtf8(value))
        .build();
  }

  List<ModelIndex> index(boolean ready) {
    return stub.repositoryIndex(RepositoryIndexRequest.newBuilder().setReady(ready).build())
        .getModelsList();
  }

  List<ModelIndex> rows(String model) {
    return index(false).stream().filter(row -> row.getName().equals(model)).toList();
  }

  static ModelIndex row(String model, String version, String state, String reason) {
    return ModelIndex.newBuilder()
        .setName(model)
        .setVersion(version)
        .setState(state)
        .setReason(reason)
        .build();
  }

  void load(String model) {
    load(model, Map.of());
  }

  void load(String model, Map<String, ModelRepositoryParameter> parameters) {
    var request = RepositoryModelLoadRequest.newBuilder().setModelName(model);
    assertThat(stub.repositoryModelLoad(request.putAllParameters(parameters).build())).isNotNull();
  }

  void unload(String model, Map<String, ModelRepositoryParameter> parameters) {
    var request = RepositoryModelUnloadRequest.newBuilder().setModelName(model);
    assertThat(stub.repositoryModelUnload(request.putAllParameters(parameters).build()))
        .isNotNull();
  }
}
