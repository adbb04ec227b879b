package io.nereid.server.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyServerBuilder;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.codec.protobuf.ProtoRequestParser.InputPools;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.FrontEnd;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.Listener;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.grpc.call.CallAdmission;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcRequests;
import io.nereid.server.grpc.call.LoadTrailers;
import io.nereid.server.grpc.call.LoggedCalls;
import io.nereid.server.grpc.call.RequestIds;
import io.nereid.server.grpc.call.RestrictedCalls;
import io.nereid.server.grpc.connection.GrpcConnections;
import io.nereid.server.grpc.control.HealthCalls;
import io.nereid.server.grpc.control.LoadCalls;
import io.nereid.server.grpc.control.MetadataCalls;
import io.nereid.server.grpc.control.PlainMethods;
import io.nereid.server.grpc.control.RepositoryCalls;
import io.nereid.server.grpc.control.SharedMemoryCalls;
import io.nereid.server.grpc.inference.InferCall;
import io.nereid.server.grpc.inference.StreamInferCall;
import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.nereid.server.grpc.limits.GrpcConnectionLimits;
import io.nereid.server.grpc.message.InferRequestMarshaller;
import io.nereid.server.grpc.message.InferResponseMarshaller;
import io.nereid.server.grpc.message.LendingAllocator;
import io.nereid.server.grpc.message.MessageEncoding;
import io.nereid.server.grpc.message.MessageReader;
import io.nereid.server.grpc.message.ResponseCompression;
import io.nereid.server.protobuf.orca.OpenRcaServiceGrpc;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.telemetry.access.AccessLog;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Filter;
import java.util.logging.Logger;

/** The listener of gRPC. */
public final class GrpcTransport implements FrontEnd {
  /** The time for the statuses of calls to be sent that outlast a stop. */
  private static final Duration FAREWELL = Duration.ofMillis(500);

  /** Methods whose calls do not end by themselves once the server stops. */
  private static final Set<String> ENDLESS =
      Set.of(
          HealthGrpc.getWatchMethod().getFullMethodName(),
          "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
          "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
          OpenRcaServiceGrpc.getStreamCoreMetricsMethod().getFullMethodName());

  /** Methods whose messages may be as large as the limit of requests. */
  private static final Set<String> LARGE =
      Set.of(
          GRPCInferenceServiceGrpc.getModelInferMethod().getFullMethodName(),
          GRPCInferenceServiceGrpc.getModelStreamInferMethod().getFullMethodName(),
          PlainMethods.LOAD);

  /** Warns, with a stack trace, of each stream that a client ends while responses are written. */
  private static final Logger STREAMS = Logger.getLogger("io.grpc.netty.NettyServerHandler");

  static {
    // an application has the server in its process, and its own levels
    Filter before = STREAMS.getFilter();
    STREAMS.setFilter(line ->
        !(line.getThrown() instanceof Http2Exception ended
                && ended.error() == Http2Error.STREAM_CLOSED)
            && (before == null || before.isLoggable(line)));
  }

  private final Server server;
  private final GrpcConnections connections;
  private final CallAdmission admission;
  private final StreamInferCall streamInferCall;
  private final HealthCalls health;

  /** A listener that is to {@link #start}. */
  public static GrpcTransport of(
      GrpcSettings settings, ListenerSecurity security, FrontEndServices services) {
    RequestAdmission engine = services.engine();
    BufferPool pool = services.memory().pool();
    RequestMemory requestMemory = services.memory().requests();
    RuntimeSettings runtime = services.runtime();
    LongWork longWork = services.longWork();
    // of gRPC's own buffers, and what waits to get there: Netty may allocate as much as the heap
    var transportMemory = new RequestMemory(Runtime.getRuntime().maxMemory() / 2, Long.MAX_VALUE);
    var connections = new GrpcConnections(settings.limits(), transportMemory, ENDLESS, LARGE);
    var admission = new CallAdmission();
    InputPools pools = (model, version) -> inputPool(engine, model, version, pool);
    var messages = new MessageReader(requestMemory, pools, connections.refusals(), longWork);
    var clients =
        new ClientMessages(
            messages, transportMemory, requestMemory, services.memory().regions(), longWork);
    var reports = new LoadTrailers(new LoadReports(services.load()), security.restrictedApis());
    var requests =
        new ClientRequests(
            engine,
            runtime.tracer(),
            settings.features().clientHeader(),
            settings.features().forwarding());
    ResponseCompression compression = settings.features().compression();
    var inferCall =
        new InferCall(
            requests,
            pool,
            admission,
            clients,
            compression,
            runtime.accessLog().isPresent(),
            reports);
    var streamInferCall =
        new StreamInferCall(
            requests, pool, admission, clients, compression, runtime.accessLog().orElse(null));
    var marshaller =
        new InferRequestMarshaller(
            new ProtoRequestParser(pools), settings.limits().maxRequestSize());
    var plain = new PlainMethods(admission, clients);
    var metadata =
        new MetadataCalls(
            engine,
            services.identity(),
            new RepositoryCalls(services.models()),
            new SharedMemoryCalls(services.memory().regions()),
            runtime);
    List<ServerMethodDefinition<?, ?>> inference = new ArrayList<>(metadata.methods(plain));
    inference.add(
        inferenceMethod(GRPCInferenceServiceGrpc.getModelInferMethod(), marshaller, inferCall));
    inference.add(
        inferenceMethod(
            GRPCInferenceServiceGrpc.getModelStreamInferMethod(), marshaller, streamInferCall));
    NettyServerBuilder listener = listener(settings);
    security.tls().map(GrpcTls::context).ifPresent(listener::sslContext);
    var health = new HealthCalls(engine::isReady);
    List<ServerServiceDefinition> definitions = new ArrayList<>();
    definitions.add(
        PlainMethods.service(GRPCInferenceServiceGrpc.getServiceDescriptor(), inference));
    definitions.add(PlainMethods.service(HealthGrpc.getServiceDescriptor(), health.methods(plain)));
    definitions.add(
        PlainMethods.service(
            OpenRcaServiceGrpc.getServiceDescriptor(),
            new LoadCalls(services.load()).methods(plain)));
    if (settings.features().reflection()) {
      for (ServerServiceDefinition service : Reflection.services()) {
        definitions.add(ServerInterceptors.intercept(service, admission));
      }
    }
    if (!security.restrictedApis().isEmpty()) {
      listener.intercept(
          new RestrictedCalls(
              security.restrictedApis(),
              definitions.stream().map(ServerServiceDefinition::getServiceDescriptor).toList()));
    }
    connections.install(listener, security.tls().isPresent());
    runtime.accessLog().map(LoggedCalls::new).ifPresent(listener::addStreamTracerFactory);
    if (runtime.accessLog().filter(AccessLog::givesIds).isPresent()) {
      listener.intercept(new RequestIds()); // the last one is the first to be called
    }
    Server server =
        listener
            .directExecutor() // no handler blocks: PlainMethods has threads for those that wait
            .decompressorRegistry(MessageEncoding.registry())
            .compressorRegistry(compression.registry())
            .addTransportFilter(admission)
            .addServices(definitions)
            .build();
    return new GrpcTransport(server, connections, admission, streamInferCall, health);
  }

  private static NettyServerBuilder listener(GrpcSettings settings) {
    Listener place = settings.listener();
    var listener =
        NettyServerBuilder.forAddress(new InetSocketAddress(place.address(), place.port()));
    if (place.reusesPort()) {
      listener.withOption(UnixChannelOption.SO_REUSEPORT, true);
    }
    GrpcCallLimits calls = settings.limits().calls();
    GrpcConnectionLimits connections = settings.limits().connections();
    listener
        .withChildOption(ChannelOption.ALLOCATOR, new LendingAllocator())
        .maxInboundMessageSize(Integer.MAX_VALUE) // CallWatch has the limit
        .maxInboundMetadataSize(calls.maxHeaderSize())
        .maxConcurrentCallsPerConnection(calls.maxStreams())
        .maxRstFramesPerWindow(
            calls.maxResets(), Math.toIntExact(GrpcCallLimits.RESET_WINDOW.toSeconds()))
        .handshakeTimeout(connections.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .maxConnectionIdle(connections.idleTimeout().toMillis(), TimeUnit.MILLISECONDS);
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

  private GrpcTransport(
      Server server,
      GrpcConnections connections,
      CallAdmission admission,
      StreamInferCall streamInferCall,
      HealthCalls health) {
    this.health = health;
    this.server = server;
    this.connections = connections;
    this.admission = admission;
    this.streamInferCall = streamInferCall;
  }

  @Override
  public GrpcTransport start() throws IOException {
    server.start();
    return this;
  }

  @Override
  public int port() {
    return server.getPort();
  }

  @Override
  public boolean isWorking() {
    return !server.isShutdown();
  }

  /** What clients take of the listener, for the metrics. */
  public GrpcConnections connections() {
    return connections;
  }

  /** Rejects inference on connections that are made from now on. */
  @Override
  public void refuseConnections() {
    health.update(); // the server is not ready any more
    admission.rejectConnections();
  }

  /**
   * Rejects new calls, and new requests on streams; closes connections without a call. Requests
   * that have come whole have {@code grace} to finish; then their calls end as UNAVAILABLE. A
   * stream ends once it has no pending request.
   *
   * @return whether all of them finished in time
   */
  @Override
  public boolean stop(Duration grace) {
    admission.stop();
    streamInferCall.stop();
    server.shutdown();
    connections.stop();
    boolean inTime = awaitTermination(grace);
    if (!inTime) {
      inTime = connections.endCalls() == 0;
      if (!awaitTermination(FAREWELL)) {
        server.shutdownNow();
      }
    }
    connections.close();
    health.close();
    return inTime;
  }

  private boolean awaitTermination(Duration time) {
    try {
      return server.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static ServerMethodDefinition<?, ?> inferenceMethod(
      MethodDescriptor<?, ?> generated,
      InferRequestMarshaller requests,
      ServerCallHandler<ProtoRequest, OutgoingMessage> handler) {
    return ServerMethodDefinition.create(
        generated.toBuilder(requests, new InferResponseMarshaller()).build(), handler);
  }

  private static BufferPool inputPool(
      RequestAdmission engine, String model, String version, BufferPool otherwise) {
    try {
      return engine.model(model, GrpcRequests.version(version)).inputPool();
    } catch (InferenceException unknown) {
      return otherwise; // the call fails once the request is parsed
    }
  }
}
