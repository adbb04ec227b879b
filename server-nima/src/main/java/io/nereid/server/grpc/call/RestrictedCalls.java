package io.nereid.server.grpc.call;

import io.grpc.Attributes;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.error.InferenceException;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Ends calls of restricted APIs that lack their header, before a message is read. Streams, too, are
 * checked once, when they begin.
 */
public final class RestrictedCalls implements ServerInterceptor {
  private static final Attributes.Key<SharedRegions> DENIED =
      Attributes.Key.create("denied regions");

  private final RestrictedApis restricted;
  private final boolean regionsNeedHeader;
  private final Map<String, ApiCategory> categories = new HashMap<>();

  /**
   * @param services all that are served
   */
  public RestrictedCalls(RestrictedApis restricted, Collection<ServiceDescriptor> services) {
    this.restricted = restricted;
    this.regionsNeedHeader = restricted.header(ApiCategory.SHARED_MEMORY).isPresent();
    for (ServiceDescriptor service : services) {
      for (var method : service.getMethods()) {
        String name = Objects.requireNonNull(method.getBareMethodName());
        categories.put(method.getFullMethodName(), category(name));
      }
    }
  }

  private static ApiCategory category(String method) {
    return switch (method) {
      case "ServerLive", "ServerReady", "ModelReady", "Check", "Watch" -> ApiCategory.HEALTH;
      case "ServerMetadata", "ModelMetadata", "ServerReflectionInfo" -> ApiCategory.METADATA;
      case "ModelInfer", "ModelStreamInfer" -> ApiCategory.INFERENCE;
      case "ModelConfig" -> ApiCategory.MODEL_CONFIG;
      case "ModelStatistics", "StreamCoreMetrics" -> ApiCategory.STATISTICS;
      case "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload" ->
          ApiCategory.MODEL_REPOSITORY;
      case "SystemSharedMemoryStatus",
          "SystemSharedMemoryRegister",
          "SystemSharedMemoryUnregister",
          "CudaSharedMemoryStatus",
          "CudaSharedMemoryRegister",
          "CudaSharedMemoryUnregister" ->
          ApiCategory.SHARED_MEMORY;
      case "TraceSetting" -> ApiCategory.TRACE;
      case "LogSettings" -> ApiCategory.LOGGING;
      default -> throw new IllegalStateException("a method without category: " + method);
    };
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ApiCategory category =
        Objects.requireNonNull(categories.get(call.getMethodDescriptor().getFullMethodName()));
    Function<String, Optional<String>> values = name -> GrpcRequests.textMetadata(headers, name);
    Optional<String> missing = restricted.missing(category, values);
    if (missing.isPresent()) {
      call.close(Status.UNAVAILABLE.withDescription(message(missing.get())), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    if (category == ApiCategory.INFERENCE && regionsNeedHeader) {
      missing = restricted.missing(ApiCategory.SHARED_MEMORY, values);
      if (missing.isPresent()) {
        return next.startCall(new CallWithoutRegions<>(call, missing.get()), headers);
      }
    }
    return next.startCall(call, headers);
  }

  private static String message(String header) {
    return "This protocol is restricted, expecting header '%s'".formatted(header);
  }

  /** The regions that the requests of a call may use. */
  static SharedRegions regions(ServerCall<?, ?> call, SharedRegions all) {
    SharedRegions denied = call.getAttributes().get(DENIED);
    return denied == null ? all : denied;
  }

  /** A call that lacks the header of the shared memory protocol. */
  private static final class CallWithoutRegions<Q, R>
      extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
    private final Attributes attributes;

    CallWithoutRegions(ServerCall<Q, R> call, String header) {
      super(call);
      var denied = SharedRegions.denied(() -> InferenceException.unavailable(message(header)));
      this.attributes = call.getAttributes().toBuilder().set(DENIED, denied).build();
    }

    @Override
    public Attributes getAttributes() {
      return attributes;
    }
  }
}
