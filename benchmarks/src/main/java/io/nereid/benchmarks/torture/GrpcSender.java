package io.nereid.benchmarks.torture;

import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder.LocalSocketPicker;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sends inference requests over gRPC, on one connection that is opened again when it has ended. It
 * has an event loop of its own: gRPC's default ones are those of the attacks, and requests would
 * wait for the attacks' messages in this process already.
 */
final class GrpcSender implements Sender {
  private final EventLoopGroup eventLoop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("good gRPC", true), NioIoHandler.newFactory());
  private final ManagedChannel channel;
  private final GRPCInferenceServiceBlockingStub stub;
  private final ModelInferRequest request = Requests.grpcSimple("simple");
  private final Duration timeout;

  GrpcSender(InetAddress source, InetSocketAddress server, Duration timeout) {
    channel =
        NettyChannelBuilder.forAddress(server)
            .usePlaintext()
            .localSocketPicker(from(source))
            .eventLoopGroup(eventLoop)
            .channelType(NioSocketChannel.class)
            .build();
    stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    this.timeout = timeout;
  }

  private static LocalSocketPicker from(InetAddress source) {
    return new LocalSocketPicker() {
      @Override
      public SocketAddress createSocketAddress(SocketAddress server, Attributes attributes) {
        return new InetSocketAddress(source, 0);
      }
    };
  }

  @Override
  public void send() throws IOException {
    try {
      var _ = stub.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS).modelInfer(request);
    } catch (StatusRuntimeException e) {
      channel.resetConnectBackoff();
      throw new IOException(
          "status " + e.getStatus().getCode() + ": " + e.getStatus().getDescription(), e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    var _ = eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
