package io.nereid.server.http.connection;

import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The socket options of a listener, which sees each channel that is accepted: Helidon hands its
 * channels to nothing else that is public. A channel is kept until its connection begins.
 */
final class AcceptedChannels implements SocketOptions {
  /** From this number on, channels that were closed before their connection began are removed. */
  private static final int MANY = 256;

  private final Map<SocketAddress, SocketChannel> channels = new ConcurrentHashMap<>();

  /** Called by the thread that accepts. */
  @Override
  public void configureSocket(SocketChannel channel) {
    try {
      // Without it a response of several writes waits up to 40 ms for the client's ACK.
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (channels.size() >= MANY) {
        channels.values().removeIf(kept -> !kept.isOpen());
      }
      channels.put(channel.getRemoteAddress(), channel);
    } catch (IOException closed) {
      throw new UncheckedIOException(closed); // Helidon closes the channel
    }
  }

  /** Removes the channel of a client, and returns it. */
  Optional<SocketChannel> remove(SocketAddress client) {
    return Optional.ofNullable(channels.remove(client));
  }

  @Override
  public Map<SocketOption<?>, Object> socketOptions() {
    return Map.of();
  }

  @Override
  public Duration connectTimeout() {
    return Duration.ZERO;
  }

  @Override
  public Duration readTimeout() {
    return Duration.ZERO;
  }

  @Override
  public Optional<Integer> socketReceiveBufferSize() {
    return Optional.empty();
  }

  @Override
  public Optional<Integer> socketSendBufferSize() {
    return Optional.empty();
  }

  @Override
  public boolean socketReuseAddress() {
    return true;
  }

  @Override
  public boolean socketKeepAlive() {
    return true;
  }

  @Override
  public boolean tcpNoDelay() {
    return true;
  }
}
