package io.nereid.server.grpc;

import io.grpc.stub.StreamObserver;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.LogSettingsMessages;
import io.nereid.server.codec.protobuf.StatisticsProtoWriter;
import io.nereid.server.codec.protobuf.TraceSettingMessages;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.model.LoadedModel;
import io.nereid.server.protobuf.CudaSharedMemoryRegisterRequest;
import io.nereid.server.protobuf.CudaSharedMemoryRegisterResponse;
import io.nereid.server.protobuf.CudaSharedMemoryStatusRequest;
import io.nereid.server.protobuf.CudaSharedMemoryStatusResponse;
import io.nereid.server.protobuf.CudaSharedMemoryUnregisterRequest;
import io.nereid.server.protobuf.CudaSharedMemoryUnregisterResponse;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import io.nereid.server.protobuf.LogSettingsRequest;
import io.nereid.server.protobuf.LogSettingsResponse;
import io.nereid.server.protobuf.ModelConfigRequest;
import io.nereid.server.protobuf.ModelConfigResponse;
import io.nereid.server.protobuf.ModelMetadataRequest;
import io.nereid.server.protobuf.ModelMetadataResponse;
import io.nereid.server.protobuf.ModelReadyRequest;
import io.nereid.server.protobuf.ModelReadyResponse;
import io.nereid.server.protobuf.ModelStatisticsRequest;
import io.nereid.server.protobuf.ModelStatisticsResponse;
import io.nereid.server.protobuf.RepositoryIndexRequest;
import io.nereid.server.protobuf.RepositoryIndexResponse;
import io.nereid.server.protobuf.RepositoryModelLoadRequest;
import io.nereid.server.protobuf.RepositoryModelLoadResponse;
import io.nereid.server.protobuf.RepositoryModelUnloadRequest;
import io.nereid.server.protobuf.RepositoryModelUnloadResponse;
import io.nereid.server.protobuf.ServerLiveRequest;
import io.nereid.server.protobuf.ServerLiveResponse;
import io.nereid.server.protobuf.ServerMetadataRequest;
import io.nereid.server.protobuf.ServerMetadataResponse;
import io.nereid.server.protobuf.ServerReadyRequest;
import io.nereid.server.protobuf.ServerReadyResponse;
import io.nereid.server.protobuf.SystemSharedMemoryRegisterRequest;
import io.nereid.server.protobuf.SystemSharedMemoryRegisterResponse;
import io.nereid.server.protobuf.SystemSharedMemoryStatusRequest;
import io.nereid.server.protobuf.SystemSharedMemoryStatusResponse;
import io.nereid.server.protobuf.SystemSharedMemoryUnregisterRequest;
import io.nereid.server.protobuf.SystemSharedMemoryUnregisterResponse;
import io.nereid.server.protobuf.TraceSettingRequest;
import io.nereid.server.protobuf.TraceSettingResponse;
import io.nereid.server.telemetry.statistics.StatisticsSnapshot;
import io.nereid.server.telemetry.trace.Tracer;
import io.nereid.tensor.TensorSpec;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The methods for health, metadata, configuration, statistics and settings; those of the model
 * repository extension are passed to {@link RepositoryCalls}, those of shared memory to {@link
 * SharedMemoryCalls}.
 */
final class MetadataCalls extends GRPCInferenceServiceImplBase {
  private final InferenceEngine engine;
  private final RepositoryCalls repository;
  private final SharedMemoryCalls sharedMemory;
  private final RuntimeSettings runtime;
  private final ServerMetadataResponse server;

  MetadataCalls(
      InferenceEngine engine,
      ServerIdentity identity,
      RepositoryCalls repository,
      SharedMemoryCalls sharedMemory,
      RuntimeSettings runtime) {
    this.engine = engine;
    this.repository = repository;
    this.sharedMemory = sharedMemory;
    this.runtime = runtime;
    this.server =
        ServerMetadataResponse.newBuilder()
            .setName(identity.name())
            .setVersion(identity.version())
            .addAllExtensions(identity.extensions())
            .build();
  }

  @Override
  public void serverLive(ServerLiveRequest request, StreamObserver<ServerLiveResponse> caller) {
    respond(caller, () -> ServerLiveResponse.newBuilder().setLive(engine.isLive()).build());
  }

  @Override
  public void serverReady(ServerReadyRequest request, StreamObserver<ServerReadyResponse> caller) {
    respond(caller, () -> ServerReadyResponse.newBuilder().setReady(engine.isReady()).build());
  }

  @Override
  public void modelReady(ModelReadyRequest request, StreamObserver<ModelReadyResponse> caller) {
    respond(
        caller,
        () ->
            ModelReadyResponse.newBuilder()
                .setReady(
                    engine.isReady(request.getName(), GrpcRequests.version(request.getVersion())))
                .build());
  }

  @Override
  public void serverMetadata(
      ServerMetadataRequest request, StreamObserver<ServerMetadataResponse> caller) {
    respond(caller, () -> server);
  }

  @Override
  public void modelMetadata(
      ModelMetadataRequest request, StreamObserver<ModelMetadataResponse> caller) {
    respond(caller, () -> metadata(request));
  }

  @Override
  public void modelConfig(ModelConfigRequest request, StreamObserver<ModelConfigResponse> caller) {
    respond(
        caller,
        () ->
            ModelConfigResponse.newBuilder()
                .setConfig(
                    engine
                        .model(request.getName(), GrpcRequests.version(request.getVersion()))
                        .configMessage())
                .build());
  }

  @Override
  public void modelStatistics(
      ModelStatisticsRequest request, StreamObserver<ModelStatisticsResponse> caller) {
    respond(caller, () -> StatisticsProtoWriter.write(statistics(request)));
  }

  @Override
  public void repositoryIndex(
      RepositoryIndexRequest request, StreamObserver<RepositoryIndexResponse> caller) {
    repository.index(request, caller);
  }

  @Override
  public void repositoryModelLoad(
      RepositoryModelLoadRequest request, StreamObserver<RepositoryModelLoadResponse> caller) {
    repository.load(request, caller);
  }

  @Override
  public void repositoryModelUnload(
      RepositoryModelUnloadRequest request, StreamObserver<RepositoryModelUnloadResponse> caller) {
    repository.unload(request, caller);
  }

  @Override
  public void systemSharedMemoryStatus(
      SystemSharedMemoryStatusRequest request,
      StreamObserver<SystemSharedMemoryStatusResponse> caller) {
    respond(caller, () -> sharedMemory.status(request));
  }

  @Override
  public void systemSharedMemoryRegister(
      SystemSharedMemoryRegisterRequest request,
      StreamObserver<SystemSharedMemoryRegisterResponse> caller) {
    respond(caller, () -> sharedMemory.register(request));
  }

  @Override
  public void systemSharedMemoryUnregister(
      SystemSharedMemoryUnregisterRequest request,
      StreamObserver<SystemSharedMemoryUnregisterResponse> caller) {
    respond(caller, () -> sharedMemory.unregister(request));
  }

  @Override
  public void cudaSharedMemoryStatus(
      CudaSharedMemoryStatusRequest request,
      StreamObserver<CudaSharedMemoryStatusResponse> caller) {
    respond(caller, () -> sharedMemory.status(request));
  }

  @Override
  public void cudaSharedMemoryRegister(
      CudaSharedMemoryRegisterRequest request,
      StreamObserver<CudaSharedMemoryRegisterResponse> caller) {
    BlockingCall.serve("CudaSharedMemoryRegister", caller, () -> sharedMemory.register(request));
  }

  @Override
  public void cudaSharedMemoryUnregister(
      CudaSharedMemoryUnregisterRequest request,
      StreamObserver<CudaSharedMemoryUnregisterResponse> caller) {
    BlockingCall.serve(
        "CudaSharedMemoryUnregister", caller, () -> sharedMemory.unregister(request));
  }

  @Override
  public void traceSetting(
      TraceSettingRequest request, StreamObserver<TraceSettingResponse> caller) {
    respond(caller, () -> traceSetting(request));
  }

  private TraceSettingResponse traceSetting(TraceSettingRequest request) {
    Tracer tracer = runtime.tracer();
    String model = request.getModelName();
    if (model.isEmpty()) {
      if (request.getSettingsCount() > 0) {
        tracer.change(settings -> TraceSettingMessages.change(request, settings));
      }
      return TraceSettingMessages.write(tracer.settings());
    }
    engine.requireReady(model);
    if (request.getSettingsCount() > 0) {
      tracer.change(model, settings -> TraceSettingMessages.change(request, settings));
    }
    return TraceSettingMessages.write(tracer.settings(model));
  }

  @Override
  public void logSettings(LogSettingsRequest request, StreamObserver<LogSettingsResponse> caller) {
    respond(
        caller,
        () -> {
          LogSettingsMessages.apply(request, runtime.log());
          return LogSettingsMessages.write(runtime.log().settings());
        });
  }

  private List<StatisticsSnapshot> statistics(ModelStatisticsRequest request) {
    return request.getName().isEmpty()
        ? engine.statistics()
        : engine.statistics(request.getName(), GrpcRequests.version(request.getVersion()));
  }

  private ModelMetadataResponse metadata(ModelMetadataRequest request) {
    OptionalLong version = GrpcRequests.version(request.getVersion());
    LoadedModel model = engine.model(request.getName(), version);
    var response =
        ModelMetadataResponse.newBuilder()
            .setName(model.key().name())
            .setPlatform(model.platform());
    for (long ready : engine.readyVersions(request.getName(), version)) {
      response.addVersions(Long.toString(ready));
    }
    model.config().inputSpecs().forEach(spec -> response.addInputs(tensor(spec)));
    model.config().outputSpecs().forEach(spec -> response.addOutputs(tensor(spec)));
    return response.build();
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

  private static <T> void respond(StreamObserver<T> caller, Supplier<T> lookup) {
    T response;
    try {
      response = lookup.get();
    } catch (InferenceException failure) {
      caller.onError(GrpcErrors.exception(failure));
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }
}
