package io.nereid.server.frontend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;

/**
 * An address that a front end is to listen at.
 *
 * @param name {@code http}, {@code grpc} or {@code metrics}, as its options begin, or an optional
 *     part's
 * @param port 0 for any free one
 * @param reusesPort whether others may listen there too
 */
public record Listener(String name, String address, int port, boolean reusesPort) {
  /** Whether this machine alone can reach it. */
  public boolean isLoopback() {
    InetAddress resolved = new InetSocketAddress(address, port).getAddress();
    return resolved != null && resolved.isLoopbackAddress();
  }

  /** Why the address cannot be bound now; empty if it can. */
  public Optional<String> obstacle() {
    try (var socket = SocketChannel.open()) {
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true); // as the listeners do
      socket.setOption(StandardSocketOptions.SO_REUSEPORT, reusesPort);
      socket.bind(new InetSocketAddress(address, port));
      return Optional.empty();
    } catch (UnresolvedAddressException _) {
      return Optional.of("unknown host");
    } catch (IOException | IllegalArgumentException unusable) {
      return Optional.of(String.valueOf(unusable.getMessage()));
    }
  }

  /**
   * Checks that it can be bound. The message names the options; Helidon would only log the failure.
   *
   * @throws IOException if it cannot be bound
   */
  public void requireFree() throws IOException {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new IOException(
          "cannot listen at %s (%s): %s".formatted(place(), options(), obstacle.get()));
    }
  }

  /** The options that say where it is. */
  String options() {
    return switch (name) {
      case "http", "grpc", "metrics" -> "--%s-address, --%s-port".formatted(name, name);
      default -> "--front-end-config=%s,address, port".formatted(name);
    };
  }

  /** Such as {@code 0.0.0.0:8000}. */
  public String place() {
    return address + ":" + port;
  }
}
