package io.nereid.client.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.Management;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryStatusRequest;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.LogSettingsResponse;
import io.nereid.protocol.inference.ModelConfigRequest;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ModelReadyRequest;
import io.nereid.protocol.inference.ModelReadyResponse;
import io.nereid.protocol.inference.ModelRepositoryParameter;
import io.nereid.protocol.inference.ModelStatisticsRequest;
import io.nereid.protocol.inference.RepositoryIndexRequest;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.protocol.inference.ServerLiveResponse;
import io.nereid.protocol.inference.ServerMetadataRequest;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.protocol.inference.ServerReadyResponse;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryStatusRequest;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.protocol.inference.TraceSettingResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All calls but inferences, by their messages. */
final class GrpcManagement implements Management {
  private final ChannelTransport transport;

  GrpcManagement(ChannelTransport transport) {
    this.transport = transport;
  }

  @Override
  public Call<Boolean> isLive(CallContext context) {
    return transport.unary(
        GRPCInferenceServiceGrpc.getServerLiveMethod(),
        ServerLiveRequest.getDefaultInstance(),
        context,
        "liveness of the server",
        ServerLiveResponse::getLive);
  }

  @Override
  public Call<Boolean> isReady(CallContext context) {
    return transport.unary(
        GRPCInferenceServiceGrpc.getServerReadyMethod(),
        ServerReadyRequest.getDefaultInstance(),
        context,
        "readiness of the server",
        ServerReadyResponse::getReady);
  }

  @Override
  public Call<Boolean> isModelReady(String model, String version, CallContext context) {
    return transport.unary(
        GRPCInferenceServiceGrpc.getModelReadyMethod(),
        ModelReadyRequest.newBuilder().setName(model).setVersion(version).build(),
        context,
        "readiness of model '%s'".formatted(model),
        ModelReadyResponse::getReady);
  }

  @Override
  public Call<@Nullable Object> serverMetadata(CallContext context) {
    return ask(
        GRPCInferenceServiceGrpc.getServerMetadataMethod(),
        ServerMetadataRequest.getDefaultInstance(),
        "metadata of the server",
        context);
  }

  @Override
  public Call<@Nullable Object> modelMetadata(String model, String version, CallContext context) {
    return ask(
        GRPCInferenceServiceGrpc.getModelMetadataMethod(),
        ModelMetadataRequest.newBuilder().setName(model).setVersion(version).build(),
        "metadata of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> modelConfig(String model, String version, CallContext context) {
    return transport.unary(
        GRPCInferenceServiceGrpc.getModelConfigMethod(),
        ModelConfigRequest.newBuilder().setName(model).setVersion(version).build(),
        context,
        "configuration of model '%s'".formatted(model),
        answer -> MessageTree.of(answer.getConfig()));
  }

  @Override
  public Call<@Nullable Object> statistics(String model, String version, CallContext context) {
    return ask(
        GRPCInferenceServiceGrpc.getModelStatisticsMethod(),
        ModelStatisticsRequest.newBuilder().setName(model).setVersion(version).build(),
        model.isEmpty() ? "statistics of all models" : "statistics of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> index(boolean readyOnly, CallContext context) {
    return transport.unary(
        GRPCInferenceServiceGrpc.getRepositoryIndexMethod(),
        RepositoryIndexRequest.newBuilder().setReady(readyOnly).build(),
        context,
        "index of the repository",
        answer -> MessageTree.of(answer).get("models"));
  }

  @Override
  public Call<@Nullable Object> load(
      String model, String config, Map<String, byte[]> files, CallContext context) {
    RepositoryModelLoadRequest.Builder request =
        RepositoryModelLoadRequest.newBuilder().setModelName(model);
    if (!config.isEmpty()) {
      request.putParameters(
          "config", ModelRepositoryParameter.newBuilder().setStringParam(config).build());
    }
    files.forEach((name, content) ->
        request.putParameters(
            "file:" + name,
            ModelRepositoryParameter.newBuilder()
                .setBytesParam(ByteString.copyFrom(content))
                .build()));
    return ask(
        GRPCInferenceServiceGrpc.getRepositoryModelLoadMethod(),
        request.build(),
        "load of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> unload(String model, boolean dependents, CallContext context) {
    RepositoryModelUnloadRequest.Builder request =
        RepositoryModelUnloadRequest.newBuilder().setModelName(model);
    if (dependents) {
      request.putParameters(
          "unload_dependents", ModelRepositoryParameter.newBuilder().setBoolParam(true).build());
    }
    return ask(
        GRPCInferenceServiceGrpc.getRepositoryModelUnloadMethod(),
        request.build(),
        "unload of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> traceSettings(
      String model, Map<String, List<String>> changes, CallContext context) {
    TraceSettingRequest.Builder request = TraceSettingRequest.newBuilder().setModelName(model);
    changes.forEach((name, values) ->
        request.putSettings(
            name, TraceSettingRequest.SettingValue.newBuilder().addAllValue(values).build()));
    return transport.unary(
        GRPCInferenceServiceGrpc.getTraceSettingMethod(),
        request.build(),
        context,
        "trace settings" + (model.isEmpty() ? "" : " of model '%s'".formatted(model)),
        GrpcManagement::traceSettings);
  }

  private static Map<String, Object> traceSettings(TraceSettingResponse answer) {
    Map<String, Object> settings = new LinkedHashMap<>();
    answer
        .getSettingsMap()
        .forEach((name, value) -> settings.put(name, List.copyOf(value.getValueList())));
    return settings;
  }

  @Override
  public Call<@Nullable Object> logSettings(Map<String, Object> changes, CallContext context) {
    LogSettingsRequest.Builder request = LogSettingsRequest.newBuilder();
    changes.forEach((name, value) -> request.putSettings(name, logSetting(value)));
    return transport.unary(
        GRPCInferenceServiceGrpc.getLogSettingsMethod(),
        request.build(),
        context,
        "log settings",
        GrpcManagement::logSettings);
  }

  private static LogSettingsRequest.SettingValue logSetting(Object value) {
    LogSettingsRequest.SettingValue.Builder setting = LogSettingsRequest.SettingValue.newBuilder();
    if (value instanceof Boolean flag) {
      return setting.setBoolParam(flag).build();
    }
    return value instanceof Long number
        ? setting.setUint32Param((int) Math.min(number, Integer.MAX_VALUE)).build()
        : setting.setStringParam(value.toString()).build();
  }

  private static Map<String, Object> logSettings(LogSettingsResponse answer) {
    Map<String, Object> settings = new LinkedHashMap<>();
    answer
        .getSettingsMap()
        .forEach((name, value) ->
            MessageTree.of(value).values().forEach(each -> settings.put(name, each)));
    return settings;
  }

  @Override
  public Call<@Nullable Object> regions(boolean cuda, String name, CallContext context) {
    return cuda
        ? transport.unary(
            GRPCInferenceServiceGrpc.getCudaSharedMemoryStatusMethod(),
            CudaSharedMemoryStatusRequest.newBuilder().setName(name).build(),
            context,
            "regions of shared memory",
            GrpcManagement::regions)
        : transport.unary(
            GRPCInferenceServiceGrpc.getSystemSharedMemoryStatusMethod(),
            SystemSharedMemoryStatusRequest.newBuilder().setName(name).build(),
            context,
            "regions of shared memory",
            GrpcManagement::regions);
  }

  private static List<?> regions(Message answer) {
    return MessageTree.of(answer).get("regions") instanceof Map<?, ?> regions
        ? List.copyOf(regions.values())
        : List.of();
  }

  @Override
  public Call<@Nullable Object> registerSystemRegion(
      String name, String key, long offset, long byteSize, CallContext context) {
    return ask(
        GRPCInferenceServiceGrpc.getSystemSharedMemoryRegisterMethod(),
        SystemSharedMemoryRegisterRequest.newBuilder()
            .setName(name)
            .setKey(key)
            .setOffset(offset)
            .setByteSize(byteSize)
            .build(),
        "registration of region '%s'".formatted(name),
        context);
  }

  @Override
  public Call<@Nullable Object> registerCudaRegion(
      String name, byte[] handle, long deviceId, long byteSize, CallContext context) {
    return ask(
        GRPCInferenceServiceGrpc.getCudaSharedMemoryRegisterMethod(),
        CudaSharedMemoryRegisterRequest.newBuilder()
            .setName(name)
            .setRawHandle(ByteString.copyFrom(handle))
            .setDeviceId(deviceId)
            .setByteSize(byteSize)
            .build(),
        "registration of CUDA region '%s'".formatted(name),
        context);
  }

  @Override
  public Call<@Nullable Object> unregisterRegion(boolean cuda, String name, CallContext context) {
    String asked = "removal of region '%s'".formatted(name);
    return cuda
        ? ask(
            GRPCInferenceServiceGrpc.getCudaSharedMemoryUnregisterMethod(),
            CudaSharedMemoryUnregisterRequest.newBuilder().setName(name).build(),
            asked,
            context)
        : ask(
            GRPCInferenceServiceGrpc.getSystemSharedMemoryUnregisterMethod(),
            SystemSharedMemoryUnregisterRequest.newBuilder().setName(name).build(),
            asked,
            context);
  }

  private <Q extends Message, A extends Message> Call<@Nullable Object> ask(
      MethodDescriptor<Q, A> method, Q request, String asked, CallContext context) {
    return transport.unary(method, request, context, asked, MessageTree::of);
  }
}
