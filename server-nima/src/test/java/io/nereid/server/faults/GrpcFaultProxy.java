package io.nereid.server.faults;

import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A port of gRPC in front of a server's, with a fault. It knows no method: each call goes on as
 * bytes, with its metadata and trailers. What it does takes place on the event loops.
 */
final class GrpcFaultProxy implements AutoCloseable {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
          }
        }
      };

  private final Fault fault;
  private final ManagedChannel channel;
  private final Server server;
  private final Map<String, byte[]> first = new ConcurrentHashMap<>();

  /** {@code target}: the server's port on this machine. */
  GrpcFaultProxy(int target, Fault fault) throws IOException {
    this.fault = fault;
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", target)
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .directExecutor()
            .build();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .directExecutor()
            .fallbackHandlerRegistry(new AnyMethod())
            .build()
            .start();
  }

  int port() {
    return server.getPort();
  }

  private final class AnyMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
      MethodDescriptor<byte[], byte[]> method =
          MethodDescriptor.newBuilder(BYTES, BYTES)
              .setType(MethodType.UNKNOWN)
              .setFullMethodName(name)
              .build();
      return ServerMethodDefinition.create(method, GrpcFaultProxy.this::start);
    }
  }

  private ServerCall.Listener<byte[]> start(ServerCall<byte[], byte[]> client, Metadata headers) {
    MethodDescriptor<byte[], byte[]> method = client.getMethodDescriptor();
    Context ofClient = Context.ROOT.attach(); // else a cancelled client cancels the call behind
    try {
      var call =
          new GrpcFaultCall(fault, first, client, channel.newCall(method, CallOptions.DEFAULT));
      call.start(headers);
      return call;
    } finally {
      Context.ROOT.detach(ofClient);
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    channel.shutdownNow();
  }
}
