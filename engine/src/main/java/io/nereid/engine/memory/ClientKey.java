package io.nereid.engine.memory;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Whom memory is counted for: an IPv4 address, or the first 64 bits of an IPv6 address, which a
 * single host may vary the rest of. All connections without an address are one client.
 *
 * @param text for comparison and for people
 */
public record ClientKey(String text) {
  /** Clients without an address: in this process, or of a Unix domain socket. */
  public static final ClientKey LOCAL = new ClientKey("local");

  private static final int IPV6_PREFIX_BYTES = 8;

  /** The key of the other side of a connection. Cheap enough for each connection. */
  public static ClientKey of(SocketAddress address) {
    return address instanceof InetSocketAddress internet && internet.getAddress() != null
        ? of(internet.getAddress())
        : LOCAL;
  }

  private static ClientKey of(InetAddress address) {
    if (address instanceof Inet6Address) {
      byte[] prefix = Arrays.copyOf(address.getAddress(), IPV6_PREFIX_BYTES);
      return new ClientKey(HexFormat.of().formatHex(prefix) + "/64");
    }
    return new ClientKey(address.getHostAddress());
  }
}
