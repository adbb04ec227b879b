package io.nereid.grpc;

import io.grpc.stub.StreamObserver;
import io.nereid.engine.InferenceEngine;
import io.nereid.engine.ServerIdentity;
import io.nereid.error.InferenceException;
import io.nereid.protocol.StatisticsProtoWriter;
import io.nereid.protocol.wire.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import io.nereid.protocol.wire.ModelConfigRequest;
import io.nereid.protocol.wire.ModelConfigResponse;
import io.nereid.protocol.wire.ModelMetadataRequest;
import io.nereid.protocol.wire.ModelMetadataResponse;
import io.nereid.protocol.wire.ModelReadyRequest;
import io.nereid.protocol.wire.ModelReadyResponse;
import io.nereid.protocol.wire.ModelStatisticsRequest;
import io.nereid.protocol.wire.ModelStatisticsResponse;
import io.nereid.protocol.wire.ServerLiveRequest;
import io.nereid.protocol.wire.ServerLiveResponse;
import io.nereid.protocol.wire.ServerMetadataRequest;
import io.nereid.protocol.wire.ServerMetadataResponse;
import io.nereid.protocol.wire.ServerReadyRequest;
import io.nereid.protocol.wire.ServerReadyResponse;
import io.nereid.repository.LoadedModel;
import io.nereid.statistics.StatisticsSnapshot;
import io.nereid.tensor.TensorSpec;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Health, metadata, configuration and statistics: everything of the service that only looks things
 * up.
 */
final class MetadataCalls extends GRPCInferenceServiceImplBase {
  private final InferenceEngine engine;
  private final ServerMetadataResponse server;

  MetadataCalls(InferenceEngine engine, ServerIdentity identity) {
    this.engine = engine;
    this.server =
        ServerMetadataResponse.newBuilder()
            .setName(identity.name())
            .setVersion(identity.version())
            .addAllExtensions(identity.extensions())
            .build();
  }

  @Override
  public void serverLive(ServerLiveRequest request, StreamObserver<ServerLiveResponse> caller) {
    answer(caller, () -> ServerLiveResponse.newBuilder().setLive(true).build());
  }

  @Override
  public void serverReady(ServerReadyRequest request, StreamObserver<ServerReadyResponse> caller) {
    answer(caller, () -> ServerReadyResponse.newBuilder().setReady(engine.isReady()).build());
  }

  @Override
  public void modelReady(ModelReadyRequest request, StreamObserver<ModelReadyResponse> caller) {
    answer(
        caller,
        () ->
            ModelReadyResponse.newBuilder()
                .setReady(
                    engine.isReady(request.getName(), GrpcVersions.parse(request.getVersion())))
                .build());
  }

  @Override
  public void serverMetadata(
      ServerMetadataRequest request, StreamObserver<ServerMetadataResponse> caller) {
    answer(caller, () -> server);
  }

  @Override
  public void modelMetadata(
      ModelMetadataRequest request, StreamObserver<ModelMetadataResponse> caller) {
    answer(caller, () -> metadata(request));
  }

  @Override
  public void modelConfig(ModelConfigRequest request, StreamObserver<ModelConfigResponse> caller) {
    answer(
        caller,
        () ->
            ModelConfigResponse.newBuilder()
                .setConfig(
                    engine
                        .model(request.getName(), GrpcVersions.parse(request.getVersion()))
                        .configMessage())
                .build());
  }

  @Override
  public void modelStatistics(
      ModelStatisticsRequest request, StreamObserver<ModelStatisticsResponse> caller) {
    answer(caller, () -> StatisticsProtoWriter.write(statistics(request)));
  }

  private List<StatisticsSnapshot> statistics(ModelStatisticsRequest request) {
    return request.getName().isEmpty()
        ? engine.statistics()
        : engine.statistics(request.getName(), GrpcVersions.parse(request.getVersion()));
  }

  private ModelMetadataResponse metadata(ModelMetadataRequest request) {
    OptionalLong version = GrpcVersions.parse(request.getVersion());
    LoadedModel model = engine.model(request.getName(), version);
    var answer =
        ModelMetadataResponse.newBuilder()
            .setName(model.key().name())
            .setPlatform(model.platform());
    for (long ready : engine.readyVersions(request.getName(), version)) {
      answer.addVersions(Long.toString(ready));
    }
    model.config().inputSpecs().forEach(spec -> answer.addInputs(tensor(spec)));
    model.config().outputSpecs().forEach(spec -> answer.addOutputs(tensor(spec)));
    return answer.build();
  }

  private static ModelMetadataResponse.TensorMetadata tensor(TensorSpec spec) {
    var tensor =
        ModelMetadataResponse.TensorMetadata.newBuilder()
            .setName(spec.name())
            .setDatatype(spec.dataType().name());
    for (long dim : spec.shape().dims()) {
      tensor.addShape(dim);
    }
    return tensor.build();
  }

  private static <T> void answer(StreamObserver<T> caller, Supplier<T> work) {
    T response;
    try {
      response = work.get();
    } catch (InferenceException failure) {
      caller.onError(GrpcErrors.status(failure).asRuntimeException());
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }
}
