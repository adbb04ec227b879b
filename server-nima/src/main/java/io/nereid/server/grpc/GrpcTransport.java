package io.nereid.server.grpc;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.netty.NettyServerBuilder;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.grpc.connection.GrpcLimits;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.control.ModelControl;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** The listener of gRPC. */
public final class GrpcTransport {
  private final Server server;
  private final CallAdmission admission;
  private final StreamInferCall streamInferCall;

  /**
   * Starts to listen.
   *
   * @throws IOException if the address cannot be bound
   */
  public static GrpcTransport start(
      GrpcSettings settings,
      ListenerSecurity security,
      InferenceEngine engine,
      ModelControl models,
      ServerIdentity identity,
      BufferPool pool)
      throws IOException {
    var admission = new CallAdmission();
    var inferCall = new InferCall(engine, pool, admission);
    var streamInferCall = new StreamInferCall(engine, pool, admission);
    var generated = new MetadataCalls(engine, identity, new RepositoryCalls(models));
    NettyServerBuilder listener = listener(settings);
    security.tls().map(GrpcTls::context).ifPresent(listener::sslContext);
    List<ServerServiceDefinition> services =
        List.of(
            inferenceService(generated, engine, pool, inferCall, streamInferCall),
            new HealthCalls(engine).bindService());
    if (!security.restrictedApis().isEmpty()) {
      listener.intercept(
          new RestrictedCalls(
              security.restrictedApis(),
              services.stream().map(ServerServiceDefinition::getServiceDescriptor).toList()));
    }
    return new GrpcTransport(
        listener
            .directExecutor() // no handler blocks: RepositoryCalls has threads of its own
            .decompressorRegistry(
                DecompressorRegistry.getDefaultInstance().with(new DeflateCodec(), true))
            .addTransportFilter(admission)
            .addServices(services)
            .build()
            .start(),
        admission,
        streamInferCall);
  }

  private static NettyServerBuilder listener(GrpcSettings settings) {
    var listener =
        NettyServerBuilder.forAddress(new InetSocketAddress(settings.address(), settings.port()));
    GrpcLimits limits = settings.limits();
    listener
        .maxInboundMessageSize(limits.maxRequestSize())
        .maxInboundMetadataSize(limits.maxHeaderSize())
        .maxConcurrentCallsPerConnection(limits.maxStreams())
        .maxRstFramesPerWindow(
            limits.maxResets(), Math.toIntExact(GrpcLimits.RESET_WINDOW.toSeconds()))
        .handshakeTimeout(limits.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .maxConnectionIdle(limits.idleTimeout().toMillis(), TimeUnit.MILLISECONDS);
    GrpcKeepAlive keepAlive = settings.keepAlive();
    listener
        .keepAliveTime(keepAlive.time().toMillis(), TimeUnit.MILLISECONDS)
        .keepAliveTimeout(keepAlive.timeout().toMillis(), TimeUnit.MILLISECONDS)
        .permitKeepAliveWithoutCalls(keepAlive.permitWithoutCalls())
        .permitKeepAliveTime(keepAlive.minPingInterval().toMillis(), TimeUnit.MILLISECONDS);
    keepAlive
        .maxConnectionAge()
        .ifPresent(age -> listener.maxConnectionAge(age.toMillis(), TimeUnit.MILLISECONDS));
    keepAlive
        .maxConnectionAgeGrace()
        .ifPresent(
            grace -> listener.maxConnectionAgeGrace(grace.toMillis(), TimeUnit.MILLISECONDS));
    return listener;
  }

  private GrpcTransport(Server server, CallAdmission admission, StreamInferCall streamInferCall) {
    this.server = server;
    this.admission = admission;
    this.streamInferCall = streamInferCall;
  }

  /** The bound port. */
  public int port() {
    return server.getPort();
  }

  /** Rejects inference on connections that are made from now on. */
  public void refuseConnections() {
    admission.rejectConnections();
  }

  /**
   * Rejects new calls, and new requests on streams. Pending requests have {@code grace} to finish;
   * then their calls are cancelled. A stream ends once it has no pending request.
   *
   * @return whether all calls ended in time
   */
  public boolean stop(Duration grace) {
    admission.stop();
    streamInferCall.stop();
    server.shutdown();
    try {
      if (server.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        return true;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
    return false;
  }

  /** The generated service, whose inference methods have marshallers and handlers of their own. */
  private static ServerServiceDefinition inferenceService(
      MetadataCalls generated,
      InferenceEngine engine,
      BufferPool pool,
      InferCall inferCall,
      StreamInferCall streamInferCall) {
    var requests =
        new InferRequestMarshaller(
            new ProtoRequestParser((model, version) -> inputPool(engine, model, version, pool)));
    Map<String, ServerMethodDefinition<?, ?>> inference = new HashMap<>();
    put(inference, GRPCInferenceServiceGrpc.getModelInferMethod(), requests, inferCall);
    put(inference, GRPCInferenceServiceGrpc.getModelStreamInferMethod(), requests, streamInferCall);
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    for (var method : generated.bindService().getMethods()) {
      methods.add(inference.getOrDefault(method.getMethodDescriptor().getFullMethodName(), method));
    }
    var descriptor = ServiceDescriptor.newBuilder(GRPCInferenceServiceGrpc.SERVICE_NAME);
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    var definition = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(definition::addMethod);
    return definition.build();
  }

  private static void put(
      Map<String, ServerMethodDefinition<?, ?>> methods,
      MethodDescriptor<?, ?> generated,
      InferRequestMarshaller requests,
      ServerCallHandler<ProtoRequest, OutgoingMessage> handler) {
    methods.put(
        generated.getFullMethodName(),
        ServerMethodDefinition.create(
            generated.toBuilder(requests, new InferResponseMarshaller()).build(), handler));
  }

  private static BufferPool inputPool(
      InferenceEngine engine, String model, String version, BufferPool otherwise) {
    try {
      return engine.model(model, GrpcRequests.version(version)).inputPool();
    } catch (InferenceException unknown) {
      return otherwise; // the call fails once the request is parsed
    }
  }

  /** gRPC's {@code deflate} (zlib), which Triton's clients offer and grpc-java lacks. */
  private static final class DeflateCodec implements Codec {
    @Override
    public String getMessageEncoding() {
      return "deflate";
    }

    @Override
    public OutputStream compress(OutputStream stream) {
      return new DeflaterOutputStream(stream);
    }

    @Override
    public InputStream decompress(InputStream stream) {
      return new InflaterInputStream(stream);
    }
  }
}
