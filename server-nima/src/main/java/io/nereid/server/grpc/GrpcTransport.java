package io.nereid.server.grpc;

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
import io.nereid.server.memory.BufferPool;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The listener for gRPC. */
public final class GrpcTransport {
  private final Server server;
  private final RefusedConnections lateConnections;
  private final InferCall inferCall;
  private final StreamInferCall streamInferCall;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free one
   * @throws IOException if the address is taken
   */
  public static GrpcTransport start(
      String address, int port, InferenceEngine engine, ServerIdentity identity, BufferPool pool)
      throws IOException {
    var lateConnections = new RefusedConnections();
    var inferCall = new InferCall(engine, pool, lateConnections);
    var streamInferCall = new StreamInferCall(engine, pool, lateConnections);
    return new GrpcTransport(
        NettyServerBuilder.forAddress(new InetSocketAddress(address, port))
            .directExecutor() // nothing we do on an event loop blocks
            .decompressorRegistry(
                DecompressorRegistry.getDefaultInstance().with(new DeflateCodec(), true))
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .addTransportFilter(lateConnections)
            .permitKeepAliveTime(5, TimeUnit.MINUTES)
            .addService(inferenceService(engine, identity, pool, inferCall, streamInferCall))
            .addService(new HealthCalls(engine))
            .build()
            .start(),
        lateConnections,
        inferCall,
        streamInferCall);
  }

  private GrpcTransport(
      Server server,
      RefusedConnections lateConnections,
      InferCall inferCall,
      StreamInferCall streamInferCall) {
    this.server = server;
    this.lateConnections = lateConnections;
    this.inferCall = inferCall;
    this.streamInferCall = streamInferCall;
  }

  /** The port that it listens on. */
  public int port() {
    return server.getPort();
  }

  /** Serves inference on the connections that there are, and on no others. */
  public void refuseConnections() {
    lateConnections.begin();
  }

  /**
   * Takes no new calls, and on streams no new requests; lets what is under way finish within {@code
   * grace}, then cuts it off. A stream ends once nothing is under way on it.
   *
   * @return whether that was long enough
   */
  public boolean stop(Duration grace) {
    inferCall.stop();
    streamInferCall.stop();
    server.shutdown();
    try {
      if (server.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        return true;
      }
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
    return false;
  }

  /** The generated service, with inference read and written by our own marshallers. */
  private static ServerServiceDefinition inferenceService(
      InferenceEngine engine,
      ServerIdentity identity,
      BufferPool pool,
      InferCall inferCall,
      StreamInferCall streamInferCall) {
    var requests =
        new InferRequestMarshaller(
            new ProtoRequestParser((model, version) -> inputPool(engine, model, version, pool)));
    Map<String, ServerMethodDefinition<?, ?>> ours = new HashMap<>();
    put(ours, GRPCInferenceServiceGrpc.getModelInferMethod(), requests, inferCall);
    put(ours, GRPCInferenceServiceGrpc.getModelStreamInferMethod(), requests, streamInferCall);
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    for (var generated : new MetadataCalls(engine, identity).bindService().getMethods()) {
      methods.add(
          ours.getOrDefault(generated.getMethodDescriptor().getFullMethodName(), generated));
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
      return engine.model(model, GrpcVersions.parse(version)).inputPool();
    } catch (InferenceException unknown) {
      return otherwise; // the call will say so once the request is whole
    }
  }
}
