package io.nereid.benchmarks.sender;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder.LocalSocketPicker;
import io.grpc.stub.ClientCalls;
import io.nereid.tools.load.transport.EncodedMethod;
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
 * Sends an encoded {@code ModelInferRequest} over gRPC, on one connection that is opened again when
 * it has ended. All senders share event loops of their own: gRPC's default ones are those of
 * attacks, and requests would wait for the attacks' messages in this process already.
 */
public final class GrpcSender implements Sender {
  private static final MethodDescriptor<byte[], Integer> INFER =
      EncodedMethod.of("ModelInfer", MethodType.UNARY);
  private static final EventLoopGroup EVENT_LOOPS =
      new MultiThreadIoEventLoopGroup(
          new DefaultThreadFactory("good gRPC", true), NioIoHandler.newFactory());

  private final ManagedChannel channel;
  private final Duration timeout;
  private final byte[] request;

  /** Connects with the first request. */
  public GrpcSender(
      InetAddress source, InetSocketAddress server, Duration timeout, byte[] request) {
    channel =
        NettyChannelBuilder.forAddress(server)
            .usePlaintext()
            .localSocketPicker(from(source))
            .eventLoopGroup(EVENT_LOOPS)
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
    this.timeout = timeout;
    this.request = request.clone();
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
    var options = CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    try {
      var _ = ClientCalls.blockingUnaryCall(channel, INFER, options, request);
    } catch (StatusRuntimeException e) {
      channel.resetConnectBackoff();
      throw new IOException(
          "status " + e.getStatus().getCode() + ": " + e.getStatus().getDescription(), e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
