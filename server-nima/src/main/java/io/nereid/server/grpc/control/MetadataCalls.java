package io.nereid.server.grpc.control;

import io.grpc.ServerMethodDefinition;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.LogSettingsResponse;
import io.nereid.protocol.inference.ModelConfigRequest;
import io.nereid.protocol.inference.ModelConfigResponse;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ModelMetadataResponse;
import io.nereid.protocol.inference.ModelReadyRequest;
import io.nereid.protocol.inference.ModelReadyResponse;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.protocol.inference.ServerLiveResponse;
import io.nereid.protocol.inference.ServerMetadataResponse;
import io.nereid.protocol.inference.ServerReadyResponse;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.protocol.inference.TraceSettingResponse;
import io.nereid.server.codec.protobuf.LogSettingsMessages;
import io.nereid.server.codec.protobuf.StatisticsProtoWriter;
import io.nereid.server.codec.protobuf.TraceSettingMessages;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.frontend.StatusMessages;
import io.nereid.server.grpc.call.GrpcRequests;
import io.nereid.server.grpc.call.LoggedCalls;
import java.util.List;

/**
 * The methods for health, metadata, configuration, statistics and settings; those of the model
 * repository extension are passed to {@link RepositoryCalls}, those of shared memory to {@link
 * SharedMemoryCalls}.
 */
public final class MetadataCalls {
  private final RequestAdmission engine;
  private final RepositoryCalls repository;
  private final SharedMemoryCalls sharedMemory;
  private final RuntimeSettings runtime;
  private final ServerMetadataResponse server;

  public MetadataCalls(
      RequestAdmission engine,
      ServerIdentity identity,
      RepositoryCalls repository,
      SharedMemoryCalls sharedMemory,
      RuntimeSettings runtime) {
    this.engine = engine;
    this.repository = repository;
    this.sharedMemory = sharedMemory;
    this.runtime = runtime;
    this.server = StatusMessages.server(identity);
  }

  /** All methods but those of inference. */
  public List<ServerMethodDefinition<?, ?>> methods(PlainMethods of) {
    return List.of(
        of.quick(
            GRPCInferenceServiceGrpc.getServerLiveMethod(),
            (_, _) -> ServerLiveResponse.newBuilder().setLive(engine.isLive()).build()),
        of.quick(
            GRPCInferenceServiceGrpc.getServerReadyMethod(),
            (_, _) -> ServerReadyResponse.newBuilder().setReady(engine.isReady()).build()),
        of.quick(GRPCInferenceServiceGrpc.getServerMetadataMethod(), (_, _) -> server),
        of.quick(
            GRPCInferenceServiceGrpc.getModelReadyMethod(), (request, _) -> modelReady(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getModelMetadataMethod(), (request, _) -> metadata(request)),
        of.quick(GRPCInferenceServiceGrpc.getModelConfigMethod(), (request, _) -> config(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getModelStatisticsMethod(),
            (request, _) -> StatisticsProtoWriter.write(statistics(request))),
        of.blocking(
            GRPCInferenceServiceGrpc.getRepositoryIndexMethod(),
            (request, _) -> repository.index(request)),
        of.blocking(GRPCInferenceServiceGrpc.getRepositoryModelLoadMethod(), repository::load),
        of.blocking(
            GRPCInferenceServiceGrpc.getRepositoryModelUnloadMethod(),
            (request, _) -> repository.unload(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getSystemSharedMemoryStatusMethod(),
            (request, _) -> sharedMemory.status(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getSystemSharedMemoryRegisterMethod(),
            (request, client) -> sharedMemory.register(client, request)),
        of.quick(
            GRPCInferenceServiceGrpc.getSystemSharedMemoryUnregisterMethod(),
            (request, _) -> sharedMemory.unregister(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getCudaSharedMemoryStatusMethod(),
            (request, _) -> sharedMemory.status(request)),
        of.blocking(
            GRPCInferenceServiceGrpc.getCudaSharedMemoryRegisterMethod(),
            (request, client) -> sharedMemory.register(client, request)),
        of.blocking(
            GRPCInferenceServiceGrpc.getCudaSharedMemoryUnregisterMethod(),
            (request, _) -> sharedMemory.unregister(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getTraceSettingMethod(),
            (request, _) -> traceSetting(request)),
        of.quick(
            GRPCInferenceServiceGrpc.getLogSettingsMethod(), (request, _) -> logSettings(request)));
  }

  private ModelReadyResponse modelReady(ModelReadyRequest request) {
    LoggedCalls.model(request.getName(), request.getVersion());
    boolean isReady = engine.isReady(request.getName(), GrpcRequests.version(request.getVersion()));
    return ModelReadyResponse.newBuilder().setReady(isReady).build();
  }

  private ModelConfigResponse config(ModelConfigRequest request) {
    LoggedCalls.model(request.getName(), request.getVersion());
    LoadedModel model = engine.model(request.getName(), GrpcRequests.version(request.getVersion()));
    return ModelConfigResponse.newBuilder().setConfig(model.configMessage()).build();
  }

  private TraceSettingResponse traceSetting(TraceSettingRequest request) {
    Tracer tracer = runtime.tracer();
    String model = request.getModelName();
    if (!model.isEmpty()) {
      engine.requireReady(model);
    }
    if (request.getSettingsCount() > 0) {
      tracer.change(model, settings -> TraceSettingMessages.change(request, settings));
    }
    return TraceSettingMessages.write(tracer.settings(model));
  }

  private LogSettingsResponse logSettings(LogSettingsRequest request) {
    LogSettingsMessages.apply(request, runtime.log());
    return LogSettingsMessages.write(runtime.log().settings());
  }

  private List<StatisticsSnapshot> statistics(ModelStatisticsRequest request) {
    LoggedCalls.model(request.getName(), request.getVersion());
    return request.getName().isEmpty()
        ? engine.statistics()
        : engine.statistics(request.getName(), GrpcRequests.version(request.getVersion()));
  }

  private ModelMetadataResponse metadata(ModelMetadataRequest request) {
    LoggedCalls.model(request.getName(), request.getVersion());
    return StatusMessages.model(
        engine, request.getName(), GrpcRequests.version(request.getVersion()));
  }
}
