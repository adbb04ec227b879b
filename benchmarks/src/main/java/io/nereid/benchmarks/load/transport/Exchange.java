package io.nereid.benchmarks.load.transport;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder.LocalSocketPicker;
import io.grpc.stub.ClientCalls;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection from a certain address, on which one request at a time is sent. For one thread. */
public interface Exchange extends AutoCloseable {
  /**
   * Sends the request, and waits for its response.
   *
   * @throws IOException if it was not answered with success
   */
  void exchange() throws IOException;

  @Override
  void close();

  static Exchange overHttp(InetAddress source, URI server, byte[] request) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.bind(new InetSocketAddress(source, 0));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.connect(new InetSocketAddress(server.getHost(), server.getPort()));
    return new OverHttp(channel, ByteBuffer.wrap(request));
  }

  static Exchange overGrpc(InetAddress source, URI server, byte[] request) {
    var picker =
        new LocalSocketPicker() {
          @Override
          public SocketAddress createSocketAddress(SocketAddress to, Attributes attributes) {
            return new InetSocketAddress(source, 0);
          }
        };
    return new OverGrpc(
        NettyChannelBuilder.forAddress(server.getHost(), server.getPort())
            .usePlaintext()
            .localSocketPicker(picker)
            .directExecutor()
            .build(),
        request);
  }

  /** HTTP/1.1. */
  final class OverHttp implements Exchange {
    private final SocketChannel channel;
    private final ByteBuffer request;
    private final HttpResponseReader response = new HttpResponseReader();
    private final ByteBuffer scratch = ByteBuffer.allocate(64 << 10);

    private OverHttp(SocketChannel channel, ByteBuffer request) {
      this.channel = channel;
      this.request = request;
    }

    @Override
    public void exchange() throws IOException {
      request.rewind();
      while (request.hasRemaining()) {
        channel.write(request);
      }
      boolean complete = false;
      while (!complete) {
        if (channel.read(scratch.clear()) < 0) {
          throw new EOFException("the server closed the connection");
        }
        complete = response.read(scratch.flip());
      }
      if (response.status() != 200) {
        throw new IOException("status " + response.status());
      }
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException _) {
        // there is nothing else to do
      }
    }
  }

  /** A connection of HTTP/2. */
  final class OverGrpc implements Exchange {
    private final ManagedChannel channel;
    private final byte[] request;

    private OverGrpc(ManagedChannel channel, byte[] request) {
      this.channel = channel;
      this.request = request;
    }

    @Override
    public void exchange() throws IOException {
      try {
        var _ =
            ClientCalls.blockingUnaryCall(
                channel, ModelInferMethod.DESCRIPTOR, CallOptions.DEFAULT, request);
      } catch (StatusRuntimeException failed) {
        throw new IOException(failed.getStatus().toString(), failed);
      }
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }
}
