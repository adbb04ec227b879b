package io.nereid.grpc;

import io.grpc.DecompressorRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.netty.NettyServerBuilder;
import io.nereid.engine.InferenceEngine;
import io.nereid.engine.ServerIdentity;
import io.nereid.error.InferenceException;
import io.nereid.memory.BufferPool;
import io.nereid.protocol.ProtoRequestParser;
import io.nereid.protocol.ProtoResponseWriter;
import io.nereid.protocol.wire.GRPCInferenceServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The listener for gRPC. */
public final class GrpcTransport {
  private final Server server;

  /**
   * Starts to listen.
   *
   * @param port 0 for any free one
   * @throws IOException if the address is taken
   */
  public static GrpcTransport start(
      String address, int port, InferenceEngine engine, ServerIdentity identity, BufferPool pool)
      throws IOException {
    return new GrpcTransport(
        NettyServerBuilder.forAddress(new InetSocketAddress(address, port))
            .directExecutor() // nothing we do on an event loop blocks
            .decompressorRegistry(
                DecompressorRegistry.getDefaultInstance().with(new DeflateCodec(), true))
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .permitKeepAliveTime(5, TimeUnit.MINUTES)
            .addService(inferenceService(engine, identity, pool))
            .addService(new HealthCalls(engine))
            .build()
            .start());
  }

  private GrpcTransport(Server server) {
    this.server = server;
  }

  /** The port that it listens on. */
  public int port() {
    return server.getPort();
  }

  /** Takes no new calls, lets those under way finish within {@code grace}, then cuts them off. */
  public void stop(Duration grace) {
    server.shutdown();
    try {
      if (!server.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException hurried) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** The generated service, with {@code ModelInfer} read and written by our own marshallers. */
  private static ServerServiceDefinition inferenceService(
      InferenceEngine engine, ServerIdentity identity, BufferPool pool) {
    ServerServiceDefinition generated = new MetadataCalls(engine, identity).bindService();
    MethodDescriptor<ReceivedRequest, ProtoResponseWriter> modelInfer =
        GRPCInferenceServiceGrpc.getModelInferMethod().toBuilder(
                new InferRequestMarshaller(
                    new ProtoRequestParser(
                        (model, version) -> inputPool(engine, model, version, pool))),
                new InferResponseMarshaller())
            .build();
    String service = GRPCInferenceServiceGrpc.SERVICE_NAME;
    var descriptor = ServiceDescriptor.newBuilder(service);
    for (ServerMethodDefinition<?, ?> method : generated.getMethods()) {
      descriptor.addMethod(isModelInfer(method) ? modelInfer : method.getMethodDescriptor());
    }
    var definition = ServerServiceDefinition.builder(descriptor.build());
    for (ServerMethodDefinition<?, ?> method : generated.getMethods()) {
      if (isModelInfer(method)) {
        definition.addMethod(modelInfer, new InferCall(engine, pool));
      } else {
        definition.addMethod(method);
      }
    }
    return definition.build();
  }

  private static BufferPool inputPool(
      InferenceEngine engine, String model, String version, BufferPool otherwise) {
    try {
      return engine.model(model, GrpcVersions.parse(version)).inputPool();
    } catch (InferenceException unknown) {
      return otherwise; // the call will say so once the request is whole
    }
  }

  private static boolean isModelInfer(ServerMethodDefinition<?, ?> method) {
    return method
        .getMethodDescriptor()
        .getFullMethodName()
        .equals(GRPCInferenceServiceGrpc.getModelInferMethod().getFullMethodName());
  }
}
