package io.nereid.server.http.connection;

import io.helidon.common.socket.SocketOptions;
import io.nereid.server.http.limits.ClientCounts;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.Refusal;
import io.nereid.server.memory.ClientKey;
import io.nereid.server.telemetry.refusal.Refusals;
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
  private final Map<SocketAddress, SocketChannel> channels = new ConcurrentHashMap<>();
  private final ConnectionLimits limits;
  private final ClientCounts counts;
  private final Refusals<Refusal> refusals;

  AcceptedChannels(ConnectionLimits limits, ClientCounts counts, Refusals<Refusal> refusals) {
    this.limits = limits;
    this.counts = counts;
    this.refusals = refusals;
  }

  /** Called by the thread that accepts. A flood is closed here, before it costs a thread. */
  @Override
  public void configureSocket(SocketChannel channel) {
    try {
      if (counts.all() + channels.size() >= limits.maxConnections() + limits.refusedAtOnce()) {
        refusals.count(Refusal.CONNECTIONS, ClientKey.of(channel.getRemoteAddress()).text());
        throw new IOException("too many connections");
      }
      // Without it a response of several writes waits up to 40 ms for the client's ACK.
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (channels.size() >= limits.refusedAtOnce()) {
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
