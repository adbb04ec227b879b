package io.nereid.server.http.connection;

import io.helidon.common.socket.SocketOptions;
import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.frontend.Endpoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The socket options of a listener, which sees each channel that is accepted: Helidon hands its
 * channels to nothing else that is public. A channel is kept with its admission until its
 * connection begins.
 */
final class AcceptedChannels implements SocketOptions {
  private static final System.Logger LOG = System.getLogger(AcceptedChannels.class.getName());

  private static final byte[] REFUSAL = refusal("too many connections are refused at once");

  private final Map<Endpoints, Accepted> channels = new ConcurrentHashMap<>();
  private final OpenConnections open;
  private final boolean isPlain;

  /** {@code isPlain}: whether the listener is without TLS. */
  AcceptedChannels(OpenConnections open, boolean isPlain) {
    this.open = open;
    this.isPlain = isPlain;
  }

  private static byte[] refusal(String reason) {
    byte[] body = JsonResponseWriter.error(reason);
    String head =
        """
        HTTP/1.1 503 Service Unavailable\r
        Content-Type: application/json\r
        Content-Length: %s\r
        Retry-After: %s\r
        Connection: close\r
        \r
        """
            .formatted(body.length, InferenceException.SOON.toSeconds());
    return (head + new String(body, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII);
  }

  /** A channel whose connection has not begun. */
  record Accepted(SocketChannel channel, ConnectionAdmission admission) {}

  /** Called by the thread that accepts. A flood is reset here, before it costs a thread. */
  @Override
  public void configureSocket(SocketChannel channel) {
    try {
      accept(channel);
    } catch (IOException closed) {
      throw new UncheckedIOException(closed); // Helidon closes the channel
    } catch (Error noMemory) { // which would end Helidon's listener
      throw new IllegalStateException(noMemory);
    }
  }

  private void accept(SocketChannel channel) throws IOException {
    SocketAddress client = channel.getRemoteAddress();
    if (client == null) {
      throw new ClosedChannelException();
    }
    Optional<ConnectionAdmission> admission = open.admit(ClientKey.of(client));
    if (admission.isEmpty()) {
      reset(channel);
      throw new IOException("too many connections");
    }
    var ends = new Endpoints(client, channel.getLocalAddress());
    Accepted before = channels.put(ends, new Accepted(channel, admission.get()));
    if (before != null) {
      before.admission().close();
    }
    // Without it a response of several writes waits up to 40 ms for the client's ACK.
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /**
   * Has a connection reset, behind an answer where that costs one write: most clients find it, and
   * know by it that nothing of their request was read.
   */
  private void reset(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    if (isPlain) {
      int _ = channel.write(ByteBuffer.wrap(REFUSAL)); // it fits the socket's empty buffer
    }
  }

  /** Removes what was accepted between these ends, and returns it. */
  Optional<Accepted> remove(Endpoints ends) {
    return Optional.ofNullable(channels.remove(ends));
  }

  /** Ends the admission of channels that Helidon has closed before their connection began. */
  void endClosed() {
    channels.forEach((ends, accepted) -> {
      if (!accepted.channel().isOpen() && channels.remove(ends, accepted)) {
        accepted.admission().close();
      }
    });
  }

  /** Closes all channels whose connection has not begun: the listener has ended. */
  void endAll() {
    channels.forEach((ends, accepted) -> {
      if (channels.remove(ends, accepted)) {
        try {
          accepted.channel().close();
        } catch (IOException closed) {
          LOG.log(System.Logger.Level.TRACE, "a channel has ended by itself", closed);
        } finally {
          accepted.admission().close();
        }
      }
    });
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
