package io.nereid.server.grpc;

import io.grpc.stub.StreamObserver;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterResponse;
import io.nereid.protocol.inference.CudaSharedMemoryStatusRequest;
import io.nereid.protocol.inference.CudaSharedMemoryStatusResponse;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterResponse;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.LogSettingsResponse;
import io.nereid.protocol.inference.ModelConfigRequest;
import io.nereid.protocol.inference.ModelConfigResponse;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ModelMetadataResponse;
import io.nereid.protocol.inference.ModelReadyRequest;
import io.nereid.protocol.inference.ModelReadyResponse;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.protocol.inference.ModelStatisticsResponse;
import io.nereid.protocol.inference.RepositoryIndexRequest;
import io.nereid.protocol.inference.RepositoryIndexResponse;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelLoadResponse;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadResponse;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.protocol.inference.ServerLiveResponse;
import io.nereid.protocol.inference.ServerMetadataRequest;
import io.nereid.protocol.inference.ServerMetadataResponse;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.protocol.inference.ServerReadyResponse;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterResponse;
import io.nereid.protocol.inference.SystemSharedMemoryStatusRequest;
import io.nereid.protocol.inference.SystemSharedMemoryStatusResponse;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterResponse;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.protocol.inference.TraceSettingResponse;
import io.nereid.server.codec.protobuf.LogSettingsMessages;
import io.nereid.server.codec.protobuf.StatisticsProtoWriter;
import io.nereid.server.codec.protobuf.TraceSettingMessages;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
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
  private final RequestAdmission engine;
  private final RepositoryCalls repository;
  private final SharedMemoryCalls sharedMemory;
  private final RuntimeSettings runtime;
  private final ServerMetadataResponse server;

  MetadataCalls(
      RequestAdmission engine,
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
    LoggedCalls.model(request.getName(), request.getVersion());
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
    LoggedCalls.model(request.getName(), request.getVersion());
    respond(caller, () -> metadata(request));
  }

  @Override
  public void modelConfig(ModelConfigRequest request, StreamObserver<ModelConfigResponse> caller) {
    LoggedCalls.model(request.getName(), request.getVersion());
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
    LoggedCalls.model(request.getName(), request.getVersion());
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
    LoggedCalls.model(request.getModelName(), "");
    repository.load(request, caller);
  }

  @Override
  public void repositoryModelUnload(
      RepositoryModelUnloadRequest request, StreamObserver<RepositoryModelUnloadResponse> caller) {
    LoggedCalls.model(request.getModelName(), "");
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
    respond(caller, () -> sharedMemory.register(PlainRequests.client(), request));
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
    ClientKey client = PlainRequests.client();
    BlockingCall.serve(
        "CudaSharedMemoryRegister", caller, () -> sharedMemory.register(client, request));
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
