package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection with small buffers of the system, and a client that reads when it is told to. */
class SocketProgressTest {
  private static final int RESPONSE = 900_000;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final SocketProgress progress = new SocketProgress();
  private final GrpcCallLimits limits = new GrpcCallLimits(1, LIMIT, 1, LIMIT, 1, LIMIT, 1);
  private ServerSocket listener;
  private Channel channel;
  private Socket client;

  @BeforeEach
  void connect() throws Exception {
    listener = new ServerSocket();
    listener.setReceiveBufferSize(4 << 10);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    channel =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.SO_SNDBUF, 4 << 10)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(listener.getLocalSocketAddress())
            .sync()
            .channel();
    client = listener.accept();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    channel.close().sync();
    listener.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  private boolean isStuckAt(Duration time) throws Exception {
    return channel
        .eventLoop()
        .submit(() -> progress.isStuck(channel.pipeline().firstContext(), limits, time.toNanos()))
        .get();
  }

  @Test
  void aClientThatDoesNotReadInTimeIsStuck() throws Exception {
    var _ = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[RESPONSE]));

    assertThat(isStuckAt(Duration.ZERO)).isFalse();
    assertThat(isStuckAt(LIMIT)).isFalse();
    Duration withTransfer = Duration.ofNanos(limits.writeNanos(RESPONSE));
    assertThat(isStuckAt(withTransfer.plusSeconds(1))).isTrue();
  }

  @Test
  void aClientThatHasReadInTimeIsNotStuck() throws Exception {
    var written = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[RESPONSE]));
    assertThat(isStuckAt(Duration.ZERO)).isFalse();

    client.getInputStream().readNBytes(RESPONSE);
    written.sync();

    assertThat(isStuckAt(LIMIT.multipliedBy(10))).isFalse();
  }

  @Test
  void aConnectionWithNothingToSendIsNotStuck() throws Exception {
    assertThat(isStuckAt(Duration.ZERO)).isFalse();
    assertThat(isStuckAt(LIMIT.multipliedBy(2))).isFalse();
  }
}
