package io.nereid.benchmarks.torture.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A server under attack.
 *
 * @param metrics where its metrics are; empty if unknown
 * @param pid its process; 0 if unknown
 */
public record Target(
    InetSocketAddress http, InetSocketAddress grpc, Optional<InetSocketAddress> metrics, long pid) {
  /**
   * An address of this machine that requests can come from, so that they are those of another
   * client; the wildcard address if the server is on another machine.
   */
  public InetAddress otherClient() {
    return InetAddress.ofLiteral(http.getAddress().isLoopbackAddress() ? "127.0.0.2" : "0.0.0.0");
  }
}
